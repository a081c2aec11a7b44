"""Distribute allocations over as few supplier documents as the rules allow. Pure functions.

A document has one supplier, one currency and one branch, and no more lines than its tax document may have.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import attrs
from attrs import frozen

from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.rules.drafting import BINS_UNSUPPORTED
from supplier_returns.quantities import ZERO

DocumentGroup: TypeAlias = tuple[str, str, int | None]
"""Supplier, currency and branch."""

Place: TypeAlias = tuple[int, int]
"""Position of an allocation: index of its line, and index in that line."""


@frozen
class Arrangement:
    """Lines whose allocations have document numbers, and the documents."""

    lines: tuple[PlanningLine, ...]
    documents: tuple[SupplierDocument, ...]


def arrange(
    lines: Sequence[PlanningLine],
    documents: Sequence[SupplierDocument],
    *,
    max_lines: int,
    has_bins: bool,
    keep_pending: bool = False,
) -> Arrangement:
    """Put every allocation that is in no sent document into documents.

    Pending documents are built again. They keep their numbers as far as they are still needed.

    Args:
        lines: all lines of the planning.
        documents: all current documents.
        max_lines: maximum lines of one document.
        has_bins: whether the warehouse uses bin locations. Each document then has a message about it.
        keep_pending: whether pending documents keep their content instead.
    """
    retained = [
        document for document in documents if keep_pending or document.state is not DocumentState.PENDING
    ]
    retained_ids = {document.doc_id for document in retained if document.state is not DocumentState.OMITTED}
    parts = {
        (line_index, index): part
        for line_index, line in enumerate(lines)
        for index, part in enumerate(line.allocations)
        if part.doc_id not in retained_ids
    }
    numbers = _DocumentNumbers(documents, retained)
    changed = [list(line.allocations) for line in lines]
    new_documents: list[SupplierDocument] = []
    for contents in _consolidated(parts, max_lines=max_lines):
        document = numbers.assign(
            [[parts[place] for place in places] for places in contents],
            message=BINS_UNSUPPORTED if has_bins else None,
        )
        new_documents.append(document)
        for position, places in enumerate(contents):
            for line_index, index in places:
                changed[line_index][index] = attrs.evolve(
                    changed[line_index][index], doc_id=document.doc_id, position=position
                )
    arranged = (
        attrs.evolve(line, allocations=tuple(after)) for line, after in zip(lines, changed, strict=True)
    )
    return Arrangement(
        tuple(arranged), tuple(sorted([*retained, *new_documents], key=lambda document: document.doc_id))
    )


def _consolidated(parts: Mapping[Place, Allocation], *, max_lines: int) -> Iterator[Sequence[list[Place]]]:
    """Yield the content of each document, line by line, with the oldest receipt first.

    Suppliers come in the order of their first allocation. Allocations against the same receipt line, for
    different reasons, become one document line, so that they never end up in two documents.
    """
    groups: dict[DocumentGroup, dict[int, list[Place]]] = {}
    for place, part in parts.items():
        lines = groups.setdefault(_group(part.receipt), {})
        lines.setdefault(part.receipt.age, []).append(place)
    for lines in groups.values():
        ordered = [lines[age] for age in sorted(lines)]
        # A tax document has at most 60 detail lines (schema of the Chilean tax office).
        for begin in range(0, len(ordered), max_lines):
            yield ordered[begin : begin + max_lines]


class _DocumentNumbers:
    """Creates numbered documents, and counts the parts for each supplier, currency and branch."""

    def __init__(self, before: Sequence[SupplierDocument], retained: Sequence[SupplierDocument]) -> None:
        self._next = max((document.doc_id for document in before), default=0) + 1
        self._free: defaultdict[DocumentGroup, list[int]] = defaultdict(list)
        self._parts: Counter[DocumentGroup] = Counter()
        retained_ids = {document.doc_id for document in retained}
        for document in before:
            if document.doc_id not in retained_ids:
                self._free[_group(document)].append(document.doc_id)
        for document in retained:
            self._parts[_group(document)] = max(self._parts[_group(document)], document.part)

    def assign(self, lines: Sequence[Sequence[Allocation]], message: str | None) -> SupplierDocument:
        receipt = lines[0][0].receipt
        group = _group(receipt)
        self._parts[group] += 1
        if self._free[group]:
            # Reusing numbers keeps the number of a pending document that users already know.
            doc_id = self._free[group].pop(0)
        else:
            doc_id, self._next = self._next, self._next + 1
        return SupplierDocument(
            doc_id=doc_id,
            card_code=receipt.card_code,
            name=receipt.supplier_name,
            tax_id=receipt.supplier_tax_id,
            currency=receipt.currency,
            branch=receipt.branch,
            part=self._parts[group],
            line_count=len(lines),
            total=sum((part.document * part.receipt.price for line in lines for part in line), ZERO),
            message=message,
        )


def _group(source: SupplierDocument | OpenReceiptLine) -> DocumentGroup:
    return (source.card_code, source.currency, source.branch)

"""Puts what is planned into supplier documents. Values in, values out."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import attrs
from attrs import frozen

from supplier_returns.planning.rules.consolidation import consolidate
from supplier_returns.planning.rules.explanations import BINS_UNSUPPORTED
from supplier_returns.planning.rules.model import Allocation, ReturnDraft
from supplier_returns.planning.rules.plannings import ZERO, DocumentState, PlanningLine, SupplierDocument

DocumentGroup: TypeAlias = tuple[str, str, int | None]
"""Supplier, currency and branch."""


@frozen
class Arrangement:
    """Lines whose allocations know their documents, and the documents."""

    lines: tuple[PlanningLine, ...]
    documents: tuple[SupplierDocument, ...]


def arrange(
    lines: Sequence[PlanningLine],
    documents: Sequence[SupplierDocument],
    *,
    max_lines: int,
    has_bins: bool,
    keep_waiting: bool = False,
) -> Arrangement:
    """Put every allocation that no document holds into documents.

    Documents that are pending are filled anew and keep their numbers as far as they are still needed.

    Args:
        lines: All lines of the planning.
        documents: All documents it had.
        max_lines: Lines that one document may have.
        has_bins: Whether the warehouse's stock lies in bins; the documents then say so.
        keep_waiting: Whether documents that are pending keep what is in them instead.
    """
    kept = [document for document in documents if keep_waiting or document.state is not DocumentState.PENDING]
    held = {document.doc_id for document in kept if document.state is not DocumentState.OMITTED}
    places: dict[int, tuple[int, int]] = {}
    loose: list[Allocation] = []
    for line_index, line in enumerate(lines):
        for index, part in enumerate(line.allocations):
            if part.doc_id not in held:
                loose.append(Allocation(line_index, part.receipt, part.inventory, part.document))
                places[id(loose[-1])] = (line_index, index)
    numbers = _Numbers(documents, kept)
    changed = [list(line.allocations) for line in lines]
    made: list[SupplierDocument] = []
    for draft in consolidate(loose, max_lines=max_lines):
        document = numbers.assign(draft, has_bins=has_bins)
        made.append(document)
        for position, group in enumerate(draft.lines):
            for allocation in group:
                line_index, index = places[id(allocation)]
                changed[line_index][index] = attrs.evolve(
                    changed[line_index][index], doc_id=document.doc_id, position=position
                )
    arranged = (
        attrs.evolve(line, allocations=tuple(parts)) for line, parts in zip(lines, changed, strict=True)
    )
    return Arrangement(tuple(arranged), tuple(sorted([*kept, *made], key=lambda document: document.doc_id)))


class _Numbers:
    """Makes documents of drafts: gives each its number and its part."""

    def __init__(self, before: Sequence[SupplierDocument], kept: Sequence[SupplierDocument]) -> None:
        self._next = max((document.doc_id for document in before), default=0) + 1
        self._free: defaultdict[DocumentGroup, list[int]] = defaultdict(list)
        self._parts: Counter[DocumentGroup] = Counter()
        kept_ids = {document.doc_id for document in kept}
        for document in before:
            if document.doc_id not in kept_ids:
                self._free[_group(document)].append(document.doc_id)
        for document in kept:
            self._parts[_group(document)] = max(self._parts[_group(document)], document.part)

    def assign(self, draft: ReturnDraft, *, has_bins: bool) -> SupplierDocument:
        group = _group(draft)
        if self._free[group]:
            doc_id = self._free[group].pop(0)
        else:
            doc_id, self._next = self._next, self._next + 1
        receipt = draft.lines[0][0].receipt
        return SupplierDocument(
            doc_id=doc_id,
            card_code=draft.card_code,
            name=receipt.supplier_name,
            tax_id=receipt.supplier_tax_id,
            currency=draft.currency,
            branch=draft.branch,
            part=draft.part + self._parts[group],
            line_count=len(draft.lines),
            total=sum((part.document * part.receipt.price for line in draft.lines for part in line), ZERO),
            message=BINS_UNSUPPORTED if has_bins else None,
        )


def _group(document: SupplierDocument | ReturnDraft) -> DocumentGroup:
    return (document.card_code, document.currency, document.branch)

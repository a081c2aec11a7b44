"""Puts allocations together into as few return documents as the rules allow.

A document has one supplier, one currency and one branch, and no more lines than its tax document can carry.
"""

from collections.abc import Iterable
from itertools import groupby

from supplier_returns.planning.model import Allocation, ReturnDraft


def consolidate(allocations: Iterable[Allocation], *, max_lines: int) -> list[ReturnDraft]:
    """Group allocations into documents, suppliers in order of first appearance.

    Allocations against the same receipt line (asked for different reasons) become one document line, so that
    they are never
    split over two documents. Within a document the oldest receipt comes first.

    Args:
        allocations: From `allocate`, for any number of items.
        max_lines: Lines that one document may have, at least 1.
    """
    groups: dict[tuple[str, str, int | None], list[Allocation]] = {}
    for allocation in allocations:
        receipt = allocation.receipt
        groups.setdefault((receipt.card_code, receipt.currency, receipt.branch), []).append(allocation)
    drafts: list[ReturnDraft] = []
    for (card_code, currency, branch), group in groups.items():
        group.sort(key=_age)  # stable: those against one receipt line stay in their order
        lines = [tuple(line) for _, line in groupby(group, key=_receipt_line)]
        for part, begin in enumerate(range(0, len(lines), max_lines), start=1):
            chunk = tuple(lines[begin : begin + max_lines])
            drafts.append(ReturnDraft(card_code, currency, branch, part, chunk))
    return drafts


def _age(allocation: Allocation) -> tuple[object, ...]:
    receipt = allocation.receipt
    return (receipt.doc_date, receipt.doc_entry, receipt.line_num)


def _receipt_line(allocation: Allocation) -> tuple[int, int]:
    return (allocation.receipt.doc_entry, allocation.receipt.line_num)

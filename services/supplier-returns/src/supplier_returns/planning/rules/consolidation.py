"""Puts allocations together into as few return documents as the rules allow.

A document has one supplier, one currency and one branch, and no more lines than its tax document can carry.
"""

from collections.abc import Iterable

from supplier_returns.planning.rules.model import Allocation, ReturnDraft


def consolidate(allocations: Iterable[Allocation], *, max_lines: int) -> list[ReturnDraft]:
    """Group allocations into documents, suppliers in order of first appearance.

    Allocations against the same receipt line (asked for different reasons) become one document line, so that
    they are never split over two documents. Within a document the oldest receipt comes first.

    Args:
        allocations: From `allocate`, for any number of items.
        max_lines: Lines that one document may have, at least 1.
    """
    groups: dict[tuple[str, str, int | None], dict[int, tuple[Allocation, ...]]] = {}
    for allocation in allocations:
        receipt = allocation.receipt
        lines = groups.setdefault((receipt.card_code, receipt.currency, receipt.branch), {})
        age = receipt.age
        lines[age] = (*lines.get(age, ()), allocation)
    drafts: list[ReturnDraft] = []
    for (card_code, currency, branch), lines in groups.items():
        ordered = [lines[age] for age in sorted(lines)]
        for part, begin in enumerate(range(0, len(ordered), max_lines), start=1):
            chunk = tuple(ordered[begin : begin + max_lines])
            drafts.append(ReturnDraft(card_code, currency, branch, part, chunk))
    return drafts

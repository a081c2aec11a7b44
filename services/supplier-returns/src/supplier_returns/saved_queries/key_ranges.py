"""Ranges of keys: a result that was cut off is read again in halves."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from attrs import frozen

LARGEST_KEY: Final = 2**31 - 1


@frozen
class KeyRange:
    """Keys from `first` to `last`, both included."""

    first: int
    last: int


EVERYTHING: Final = KeyRange(0, LARGEST_KEY)


def is_whole(key_range: KeyRange, keys: Sequence[int], counts: Sequence[int], *, more: bool) -> bool:
    """Tell whether a page is proved to hold every row of the range.

    Args:
        key_range: the range that was read.
        keys: the keys of the page's rows.
        counts: what the rows that count say; one, when the page is whole.
        more: whether the ERP says that there are further rows.
    """
    inside = all(key_range.first <= key <= key_range.last for key in keys)
    return not more and inside and list(counts) == [len(keys)]


def split(key_range: KeyRange, keys: Sequence[int]) -> tuple[KeyRange, KeyRange] | None:
    """Cut a range whose page was not whole; None when it can't be cut any more.

    A page in the order of its keys is the beginning of the range, and everything before its last key fits on
    a page. A page in any other order is a sample, and its middle cuts the range in halves.

    Args:
        key_range: the range that was read.
        keys: the keys of the page's rows, in the page's order.
    """
    inside = [key for key in keys if key_range.first <= key <= key_range.last]
    if key_range.first == key_range.last or not inside:
        return None
    in_order = all(earlier <= later for earlier, later in pairwise(inside))
    cut = inside[-1] - 1 if in_order else sorted(inside)[len(inside) // 2]
    cut = min(max(cut, key_range.first), key_range.last - 1)
    return KeyRange(key_range.first, cut), KeyRange(cut + 1, key_range.last)

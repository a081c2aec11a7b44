"""Ranges of keys. A truncated result is read again in halves."""

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
    """Return whether a page provably contains every row of the range.

    Args:
        key_range: range of the request.
        keys: keys of the page's rows.
        counts: values of the count rows. A complete page has one.
        more: whether the ERP announces further rows.
    """
    inside = all(key_range.first <= key <= key_range.last for key in keys)
    return not more and inside and list(counts) == [len(keys)]


def split(key_range: KeyRange, keys: Sequence[int]) -> tuple[KeyRange, KeyRange] | None:
    """Split a range whose page was incomplete. Return None if it can't be split.

    A page in key order is the start of the range, and everything before its last key fits on a page. A page
    in any other order is a sample, and its median splits the range.

    Args:
        key_range: range of the request.
        keys: keys of the page's rows, in the page's order.
    """
    inside = [key for key in keys if key_range.first <= key <= key_range.last]
    if key_range.first == key_range.last or not inside:
        return None
    in_order = all(earlier <= later for earlier, later in pairwise(inside))
    cut = inside[-1] - 1 if in_order else sorted(inside)[len(inside) // 2]
    # Keep both halves non-empty.
    cut = min(max(cut, key_range.first), key_range.last - 1)
    return KeyRange(key_range.first, cut), KeyRange(cut + 1, key_range.last)

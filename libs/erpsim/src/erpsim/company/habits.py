"""Habits of real systems that a simulator can be told not to have, so that what relies on them is tried.

Each stands for one assumption of the client's side; `docs/assumptions.md` of the project names it there.
"""

from __future__ import annotations

import enum


class OtherHabit(enum.Enum):
    """One thing that is done otherwise than documented or seen."""

    BATCHES_KEEP = "batches-keep-what-was-done"
    """A change set that fails leaves what was done before its failure."""
    CASE_HEADER_IGNORED = "case-header-ignored"
    """`B1S-CaseInsensitive` does nothing."""
    COUNT_OF_OTHER_KIND = "count-of-the-other-kind"
    """The count of a list is a number in v1 and a text in v2."""
    COUNT_OF_PAGE = "count-of-the-page"
    """It counts the rows of the page."""
    GARBAGE_TAGS_REFUSED = "garbage-tags-refused"
    """An `If-Match` of no valid form is a 412."""
    INNER_TAGS_COUNT = "inner-tags-count"
    """An `If-Match` inside a batch counts."""
    KEYS_DECODED_TWICE = "keys-decoded-twice"
    """Percent escapes of an address are decoded once more."""
    KEY_FILTER_TAGS_ROW = "key-filter-tags-the-row"
    """A list filtered by the key alone carries its tag in the row."""
    LINES_REPLACED = "lines-are-replaced"
    """A change replaces collections without being told to."""
    NO_NEXT_LINK = "no-next-link"
    """A page does not say that there is more, neither of records nor of a stored query."""
    NO_PING = "no-ping"
    """The web server knows no `/ping/`."""
    NO_ROUTE_COOKIE = "no-route-cookie"
    """The balancer names no node."""
    NO_SELECTION_SPOILS_TAGS = "no-selection-spoils-tags"
    """A tag is right whatever was selected."""
    EVERY_SELECTION_SPOILS_TAGS = "every-selection-spoils-tags"
    """A tag is wrong whatever was selected."""
    NO_SUBSTRINGOF = "no-substringof"
    """`$filter` takes no `substringof`."""
    PAGE_HEADER_IGNORED = "page-size-header-ignored"
    """`B1S-PageSize` does nothing."""
    QUERY_PAGES_SHORT = "stored-query-pages-are-short"
    """Stored queries answer 20 rows whatever page size is asked for."""
    QUERY_NAME_LOST = "stored-query-name-lost"
    """A stored query's name is its code."""
    REPLACE_HEADER_IGNORED = "replace-header-ignored"
    """`B1S-ReplaceCollectionsOnPatch` does nothing."""
    STALE_TAGS_PASS = "stale-tags-pass"  # noqa: S105 - no password
    """A write with the tag of an older version happens."""
    VERSION_IN_WORDS = "version-in-words"
    """The login's `Version` is `10.0 FP 2405`."""

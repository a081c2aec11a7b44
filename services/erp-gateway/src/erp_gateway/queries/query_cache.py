"""Cache of the responses of queries with `cache_s`."""

from collections.abc import Hashable
from typing import Final, TypeAlias

from erp_gateway.queries.answers import QueryAnswer
from servicekit.cache import Cache
from servicekit.clock import Clock

ENTRY_BYTES: Final = 1024
"""Size of an entry without its response and key."""

LARGEST_SHARE: Final = 4
"""Maximum size of a cached response, as a share of the memory."""

Question: TypeAlias = tuple[Hashable, ...]
"""Query, values of its parameters, page."""


class QueryCache(Cache[Question, QueryAnswer]):
    """Caches the encoded responses of queries with `cache_s`, shared by all users with the right to run them.

    Callers check that right first.

    Args:
        clock: time.
        max_bytes: maximum total size of the entries, including keys and overhead.
    """

    def __init__(self, clock: Clock, *, max_bytes: int = 32 * 1024 * 1024) -> None:
        super().__init__(clock, size_of=_size_of, max_size=max_bytes, largest=max_bytes // LARGEST_SHARE)


def _size_of(question: Question, answer: QueryAnswer) -> int:
    return len(answer.body) + len(repr(question)) + ENTRY_BYTES

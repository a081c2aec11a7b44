"""The cache of answers of queries that declare `cache_s`."""

from collections.abc import Hashable
from typing import Final, TypeAlias

from erp_gateway.queries.answers import QueryAnswer
from servicekit.cache import Cache
from servicekit.clock import Clock

ENTRY_BYTES: Final = 1024
"""What an entry counts beside its answer and its question."""

LARGEST_SHARE: Final = 4
"""An answer of more than this part of the memory is not kept."""

Question: TypeAlias = tuple[Hashable, ...]
"""Query, values of its parameters, page."""


class QueryCache(Cache[Question, QueryAnswer]):
    """Keeps answers of queries that declare `cache_s`: the same for all who may run them.

    Who may run a query is checked before anybody comes here. Answers are kept as the bytes that are sent.

    Args:
        clock: time.
        max_bytes: most that the answers take, questions and what an entry itself takes included.
    """

    def __init__(self, clock: Clock, *, max_bytes: int = 32 * 1024 * 1024) -> None:
        super().__init__(clock, size_of=_size_of, max_size=max_bytes, largest=max_bytes // LARGEST_SHARE)


def _size_of(question: Question, answer: QueryAnswer) -> int:
    return len(answer.body) + len(repr(question)) + ENTRY_BYTES

"""Answers of queries that declare `cache_s`: the same for all who may run them, so one run serves many.

Who may run a query is checked before anybody comes here. Answers are kept as the bytes that are sent.
"""

import asyncio
from collections.abc import Hashable
from typing import Final, TypeAlias

import msgspec
from attrs import frozen

from erp_gateway.cache import Cache
from erp_gateway.erpdb.runner import QueryResult
from servicekit.clock import Clock

SMALL_ANSWER_ROWS: Final = 100
"""Up to so many rows are encoded faster than handed to a thread."""

_ROWS_AT_A_TIME: Final = 200
"""The encoder holds Python's lock while it works, so that it must come up for air."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@frozen
class QueryAnswer:
    """An answer as it is sent, and what the audit is to know of it."""

    body: bytes
    rows: int
    truncated: bool


async def answer_of(result: QueryResult, *, paged: bool) -> QueryAnswer:
    """Encode a result, a large one in a thread; see `encode_result`."""
    if len(result.rows) <= SMALL_ANSWER_ROWS:
        body = encode_result(result, paged=paged)
    else:
        body = await asyncio.to_thread(encode_result, result, paged=paged)
    return QueryAnswer(body, len(result.rows), result.truncated)


def encode_result(result: QueryResult, *, paged: bool = False) -> bytes:
    """Return `{"rows": [...], "truncated": ...}`. For a large result, call it in a thread.

    Args:
        result: what the query returned.
        paged: whether the query has a total order, so that `nextOffset` belongs into the answer.
    """
    starts = range(0, len(result.rows), _ROWS_AT_A_TIME)
    parts = (_ENCODER.encode(result.rows[start : start + _ROWS_AT_A_TIME])[1:-1] for start in starts)
    following = b"null" if result.next_offset is None else b"%d" % result.next_offset
    return b'{"rows":[%b],"truncated":%b%b}' % (
        b",".join(parts),
        b"true" if result.truncated else b"false",
        b',"nextOffset":%b' % following if paged else b"",
    )


ENTRY_BYTES: Final = 1024
"""What an entry counts beside its answer and its question."""

LARGEST_SHARE: Final = 4
"""An answer of more than this part of the memory is not kept."""

Question: TypeAlias = tuple[Hashable, ...]
"""Query, values of its parameters, page."""


class QueryCache(Cache[Question, QueryAnswer]):
    """Keeps answers of queries.

    Args:
        clock: time.
        max_bytes: most that the answers take, questions and what an entry itself takes included.
    """

    def __init__(self, clock: Clock, *, max_bytes: int = 32 * 1024 * 1024) -> None:
        super().__init__(clock, size_of=_size_of, max_size=max_bytes, largest=max_bytes // LARGEST_SHARE)


def _size_of(question: Question, answer: QueryAnswer) -> int:
    return len(answer.body) + len(repr(question)) + ENTRY_BYTES

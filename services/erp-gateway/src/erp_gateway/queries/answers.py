"""Encodes query results as responses."""

import asyncio
from typing import Final

import msgspec
from attrs import frozen

from erp_gateway.queries.client import QueryResult

SMALL_ANSWER_ROWS: Final = 100
"""Up to so many rows are encoded faster than handed to a thread."""

# Number of rows per chunk. The encoder holds Python's lock, so it must release it regularly.
_ROWS_AT_A_TIME: Final = 200

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@frozen
class QueryAnswer:
    """An encoded response, and its facts for the audit."""

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
    """Encode `{"rows": [...], "truncated": ...}`. Call it in a thread for a large result.

    Args:
        result: the query's result.
        paged: whether the query has a total order, so that the response contains `nextOffset`.
    """
    starts = range(0, len(result.rows), _ROWS_AT_A_TIME)
    parts = (_ENCODER.encode(result.rows[start : start + _ROWS_AT_A_TIME])[1:-1] for start in starts)
    following = b"null" if result.next_offset is None else b"%d" % result.next_offset
    return b'{"rows":[%b],"truncated":%b%b}' % (
        b",".join(parts),
        b"true" if result.truncated else b"false",
        b',"nextOffset":%b' % following if paged else b"",
    )

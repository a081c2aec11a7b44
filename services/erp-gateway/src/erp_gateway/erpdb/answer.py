"""A query's result as JSON: decimals digit for digit, days and times in ISO form, binaries as base64."""

from typing import Final

import msgspec

from erp_gateway.erpdb.runner import QueryResult

SMALL_ANSWER_ROWS: Final = 100
"""Up to so many rows are encoded faster than handed to a thread."""

_ROWS_AT_A_TIME: Final = 200
"""The encoder holds Python's lock while it works, so that it must come up for air."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


def encode_result(result: QueryResult) -> bytes:
    """Return `{"rows": [...], "truncated": ...}`. For a large result, call it in a thread."""
    starts = range(0, len(result.rows), _ROWS_AT_A_TIME)
    parts = (_ENCODER.encode(result.rows[start : start + _ROWS_AT_A_TIME])[1:-1] for start in starts)
    return b'{"rows":[%b],"truncated":%b}' % (b",".join(parts), b"true" if result.truncated else b"false")

"""Maps the engine's errors to HANA's numbers and texts. The engine's texts are those of DuckDB 2."""

import re
from typing import Final

import duckdb

from erpsim.hana.parsing.refusals import not_simulated
from erpsim.hana.protocol.codes import CANCELLED, HanaError

# Errors raised by `macros`, with HANA's number and text.
_OWN: Final = re.compile(r"#(\d+)#(.*)", re.DOTALL)

_KNOWN: Final = (
    (
        re.compile(r"Could not convert string '(.*?)' to"),
        339,
        "invalid number: not a valid number string '{0}'",
    ),
    (
        re.compile(r"(?:invalid|Could not parse).*?\"(.*?)\""),
        303,
        "invalid DATE, TIME or TIMESTAMP value: {0}",
    ),
    (
        re.compile(r"More than one row returned by a subquery"),
        305,
        "single-row query returns more than one row",
    ),
    (re.compile(r"[Oo]ut of range|[Oo]verflow|out_of_range|can't be cast"), 314, "numeric overflow"),
    (
        re.compile(r'column "(.*?)" must appear in the GROUP BY'),
        276,
        "missing aggregation or grouping: {0}",
    ),
)
LOCKED: Final = HanaError(
    131, "transaction rolled back by lock wait timeout: the simulator does not wait for locks"
)
BROKEN: Final = "transaction rolled back by an internal error: {0}"


def hana_error(error: Exception) -> HanaError:
    """Return HANA's error for an engine error; unknown ones are reported as not simulated."""
    if isinstance(error, duckdb.InterruptException):
        return HanaError(*CANCELLED, sqlstate="HY008")
    text = str(error)
    own = _OWN.search(text)
    if own is not None:
        return HanaError(int(own[1]), own[2].strip())
    for pattern, code, words in _KNOWN:
        match = pattern.search(text)
        if match is not None:
            return HanaError(code, words.format(*match.groups()))
    return not_simulated(f"what this statement needs ({text.splitlines()[0]})")

"""Opens DuckDB with the simulator's settings and fills tables."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import islice
from typing import Final

import duckdb

from erpsim.hana.protocol.columns import Value
from erpsim.hana.translation.hana_types import HanaType
from erpsim.hana.translation.moments import DAY_PATTERN
from erpsim.hana.translation.typed import quoted_name

# One thread per caller, no files, and no access outside the process.
_SETTINGS: Final = (
    "threads = 1",
    "memory_limit = '1GB'",
    "temp_directory = ''",
    "autoload_known_extensions = false",
    "autoinstall_known_extensions = false",
    "enable_external_access = false",
)

_NUMBER: Final = r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*"
_WHOLE: Final = r"\s*[+-]?\d+\s*"
_BLOCK: Final = 10_000
_BETWEEN: Final = "\x1e"
_NULL: Final = "\x1f"

_NO_DIVISION: Final = "error('#304#division by zero undefined')"
_NO_NUMBER: Final = "error('#339#invalid number: not a valid number string ''' || t || '''')"
_NO_MOMENT: Final = "error('#303#invalid DATE, TIME or TIMESTAMP value: ' || t)"
_DAYS: Final = "date_diff('day', a, b)"
_SECONDS: Final = "(epoch(CAST(b AS TIMESTAMP)) - epoch(CAST(a AS TIMESTAMP)))"
_NO_DAYS: Final = (
    "error('#7#feature not supported: erpsim does not simulate "
    "DAYS_BETWEEN of moments that are no whole days apart')"
)
MACROS: Final = {
    "h_div(a, b)": f"CASE WHEN b = 0 THEN {_NO_DIVISION} ELSE CAST(a AS DOUBLE) / CAST(b AS DOUBLE) END",
    "h_mod(a, b)": f"CASE WHEN b = 0 THEN {_NO_DIVISION} ELSE a % b END",
    "h_number(t)": (
        f"CASE WHEN t IS NULL THEN NULL WHEN regexp_full_match(t, '{_NUMBER}') THEN trim(t) "
        f"ELSE {_NO_NUMBER} END"
    ),
    "h_whole(t)": (
        f"CASE WHEN t IS NULL THEN NULL WHEN regexp_full_match(t, '{_WHOLE}') THEN trim(t) "
        f"ELSE {_NO_NUMBER} END"
    ),
    "h_moment(t)": (
        f"CASE WHEN t IS NULL THEN NULL WHEN NOT regexp_matches(t, '{DAY_PATTERN}') THEN {_NO_MOMENT} "
        "WHEN regexp_matches(t, '^\\s*\\d{8}') "
        "THEN CAST(regexp_replace(trim(t), '^(\\d{4})(\\d{2})(\\d{2})', '\\1-\\2-\\3') AS TIMESTAMP) "
        "ELSE CAST(trim(t) AS TIMESTAMP) END"
    ),
    "h_read_by(t, p)": (
        f"CASE WHEN t IS NULL THEN NULL WHEN try_strptime(t, p) IS NULL THEN {_NO_MOMENT} "
        "ELSE strptime(t, p) END"
    ),
    "h_days_between(a, b)": (
        f"CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN {_DAYS} = trunc({_SECONDS} / 86400) "
        f"THEN CAST({_DAYS} AS INTEGER) ELSE {_NO_DAYS} END"
    ),
}
"""Functions whose DuckDB version differs from HANA's, or that must refuse values as HANA does."""


def open_engine() -> duckdb.DuckDBPyConnection:
    """Open an empty database in memory."""
    connection = duckdb.connect(":memory:")
    for setting in _SETTINGS:
        connection.execute(f"SET {setting}")
    for signature, body in MACROS.items():
        connection.execute(f"CREATE MACRO {signature} AS {body}")
    return connection


def fill(
    connection: duckdb.DuckDBPyConnection,
    target: str,
    columns: Sequence[tuple[str, HanaType]],
    rows: Iterable[Sequence[Value]],
) -> None:
    """Add rows to a table in blocks, a list of values for each column.

    Args:
        connection: of the engine.
        target: the table's quoted name.
        columns: columns of the rows.
        rows: values as the columns' types have them; moments may be ISO texts.
    """
    names = ", ".join(quoted_name(name) for name, _ in columns)
    lists = ", ".join(f"unnest({_list_of(kind, place)})" for place, (_, kind) in enumerate(columns, 1))
    statement = f"INSERT INTO {target} ({names}) SELECT {lists}"
    remaining = iter(rows)
    while block := list(islice(remaining, _BLOCK)):
        connection.execute(statement, [list(values) for values in zip(*block, strict=True)])


def fill_fast(
    connection: duckdb.DuckDBPyConnection,
    target: str,
    columns: Sequence[tuple[str, HanaType]],
    rows: Iterable[Sequence[str | int | Decimal | None]],
) -> None:
    """Add rows as `fill` does, each column of a block as one text.

    Splitting and parsing a text is several times as fast in the engine as passing a list.
    """
    names = ", ".join(quoted_name(name) for name, _ in columns)
    between, null = f"chr({ord(_BETWEEN)})", f"chr({ord(_NULL)})"
    lists = ", ".join(
        f"CAST(nullif(unnest(string_split(${place}, {between})), {null}) AS {kind.kept_in})"
        for place, (_, kind) in enumerate(columns, 1)
    )
    statement = f"INSERT INTO {target} ({names}) SELECT {lists}"
    remaining = iter(rows)
    while block := list(islice(remaining, _BLOCK)):
        texts = [
            _BETWEEN.join(_NULL if value is None else str(value) for value in values)
            for values in zip(*block, strict=True)
        ]
        if any(text.count(_BETWEEN) != len(block) - 1 for text in texts):
            fill(connection, target, columns, block)
        else:
            connection.execute(statement, texts)


def _list_of(kind: HanaType, place: int) -> str:
    return f"CAST(${place} AS {kind.kept_in}[])"

"""Sample tables for tests of drivers and limits."""

# ruff: noqa: DTZ001 - a TIMESTAMP of the database has no zone

import datetime as dt
from decimal import Decimal

from erpsim.hana.protocol.codes import Type
from erpsim.hana.protocol.columns import Column, Value
from erpsim.hana.tables.database import Database

SCHEMA = "SAMPLE"
_NOTE_LENGTHS = (0, 10, 1024, 1025, 6000)

_NUMBERS = """
    INSERT INTO "SAMPLE"."NUMBERS"
    SELECT n, 'Fila ' || n, CAST(n AS DECIMAL(19,6)) * 0.125, TIMESTAMP '2024-01-01' + to_days(n % 700)
    FROM (SELECT CAST(range AS INTEGER) AS n FROM range({count}))
"""
_EVERY_TYPE: tuple[tuple[Column, Value], ...] = (
    (Column("TINY", Type.TINYINT, 3), 200),
    (Column("SMALL", Type.SMALLINT, 5), -32_000),
    (Column("INT", Type.INTEGER, 10), 2_000_000_000),
    (Column("BIG", Type.BIGINT, 19), 9_000_000_000_000_000_000),
    (Column("DEC", Type.DECIMAL, 34, 32_767), Decimal("1.25")),
    (Column("FIX8", Type.FIXED8, 18, 2), Decimal("-10.50")),
    (Column("FIX12", Type.FIXED12, 28, 4), Decimal("12345.6789")),
    (Column("FIX16", Type.FIXED16, 38, 6), Decimal("0.000001")),
    (Column("SINGLE", Type.REAL, 7), 0.5),
    (Column("DBL", Type.DOUBLE, 15), 0.1),
    (Column("YES", Type.BOOLEAN, 1), True),
    (Column("TEXT", Type.NVARCHAR, 100), "Ñandú 😀"),
    (Column("PLAIN", Type.VARCHAR, 100), "plain"),
    (Column("BIN", Type.VARBINARY, 10), b"\x00\xff"),
    (Column("DAY", Type.DATE, 10), dt.date(2024, 2, 29)),
    (Column("CLOCK", Type.TIME, 8), dt.time(23, 59, 58)),
    (Column("MOMENT", Type.TIMESTAMP, 27, 7), dt.datetime(2024, 2, 29, 12, 34, 56, 123_456)),
    (Column("SECOND", Type.SECONDDATE, 19), dt.datetime(2024, 2, 29, 12, 34, 56)),
    (Column("NOTE", Type.NCLOB), "x" * 3000 + "😀"),
    (Column("RAW", Type.BLOB), b"\x01\x02" * 2000),
)


def add_sample_tables(database: Database, *, numbers: int = 1000) -> None:
    """Add the schema ``SAMPLE``.

    ``NUMBERS`` has ``numbers`` rows (``N``, ``LABEL``, ``AMOUNT``, ``DAY``), ``NOTES`` a text LOB of each
    interesting length,
    ``TYPES`` one row with a value and one with NULL of every simulated type.
    """
    database.add_schema(SCHEMA)
    database.add_table(
        SCHEMA,
        "NUMBERS",
        [
            Column("N", Type.INTEGER, 10),
            Column("LABEL", Type.NVARCHAR, 50),
            Column("AMOUNT", Type.FIXED16, 19, 6),
            Column("MADE", Type.TIMESTAMP, 27, 7),
        ],
    )
    database.run(_NUMBERS.format(count=int(numbers)))
    notes: list[tuple[Value, ...]] = [(length, "ñ😀a"[length % 3] * length) for length in _NOTE_LENGTHS]
    note_columns = [Column("LENGTH", Type.INTEGER, 10), Column("CONTENT", Type.NCLOB)]
    database.add_table(SCHEMA, "NOTES", note_columns, notes)
    columns = [column for column, _ in _EVERY_TYPE]
    rows: list[list[Value]] = [[value for _, value in _EVERY_TYPE], [None] * len(columns)]
    database.add_table(SCHEMA, "TYPES", columns, rows)

"""Execution of a stored query on the company's tables, one page at a time."""

from __future__ import annotations

import re
import sqlite3
import weakref
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

import attrs

from erpsim.company.errors import NotSimulatedError
from erpsim.company.exchange import Fields, Value
from erpsim.company.habits import OtherHabit
from erpsim.company.rows.values import normal, parse_date
from erpsim.company.switches import Switches
from erpsim.facts.model import Facts
from erpsim.sql import SqliteMirror, SqlType
from erpsim.sql.mirror import CompanyOwner
from erpsim.stored_queries.analyser import Analysis, analyse
from erpsim.stored_queries.catalogue import Catalogue
from erpsim.stored_queries.names import ResultColumn
from erpsim.stored_queries.refusals import parameter_error

_PARAMETER: Final = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*)=(?:'((?:[^']|'')*)'|(-?[0-9]{1,15}(?:\.[0-9]{1,6})?))"
)


def read_parameters(pieces: Sequence[str]) -> dict[str, str | int | float]:
    """Parse sent parameters: text and dates in single quotes, numbers without.

    Args:
        pieces: `name=value`, the decoded parts between the `&`s.

    Raises:
        SlError: 704. A quote inside a text is doubled (assumed; the manual is silent).
    """
    values: dict[str, str | int | float] = {}
    for piece in pieces:
        match = _PARAMETER.fullmatch(piece)
        if match is None or match[1] in values:
            raise parameter_error()
        if match[2] is not None:
            values[match[1]] = match[2].replace("''", "'")
        else:
            values[match[1]] = float(match[3]) if "." in match[3] else int(match[3])
    return values


@attrs.frozen
class QueryPage:
    """A page of a query's result.

    Args:
        text: of the query.
        rows: of the page, with names in alphabetical order (samples of the manual).
        next_skip: `$skip` of the next page, None on the last.
        page_size: rows a page holds.
    """

    text: str
    rows: list[Fields]
    next_skip: int | None
    page_size: int


class QueryRunner:
    """Runs stored queries on an up-to-date copy of the company's tables.

    Args:
        owner: owner of the company.
    """

    def __init__(self, owner: CompanyOwner) -> None:
        self._owner = owner
        self._mirror: SqliteMirror | None = None
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._connection.close)
        self._connection.execute("PRAGMA case_sensitive_like = ON")
        for name, arity, function in (("b1_left", 2, _left), ("b1_right", 2, _right), ("b1_date", 1, _date)):
            self._connection.create_function(name, arity, function, deterministic=True)
        self._analyses: dict[tuple[str, Switches], Analysis] = {}
        self._facts: Facts | None = None

    def analyse(self, text: str) -> Analysis:
        """Read a query; the same text is read once for the same tables and settings.

        Raises:
            SlError: 701 to 703.
        """
        company = self._owner.company
        if self._facts is not company.database_facts:
            self._analyses, self._facts = {}, company.database_facts
        switches = company.switches
        key = (text, switches)
        if key not in self._analyses:
            added, removed = switches.sql_tables_added, switches.sql_tables_removed
            catalogue = Catalogue(self._tables.tables, added, removed)
            self._analyses[key] = analyse(text, catalogue, switches.sql_dialect)
        return self._analyses[key]

    def run(self, text: str, values: Mapping[str, str | int | float], skip: int, size: int) -> QueryPage:
        """Run a query.

        Args:
            text: as stored.
            values: of its parameters.
            skip: rows before the page.
            size: rows of the page; paging can't be switched off.

        Raises:
            SlError: 704 for missing or unknown parameters, or for a parameter that is compared with a date
                and is not one.
        """
        analysis = self.analyse(text)
        switches = self._owner.company.switches
        if switches.has(OtherHabit.QUERY_PARAMETERS_PASS):
            values = {name: value for name, value in values.items() if name in analysis.parameters}
            values = dict.fromkeys(analysis.parameters, "") | values
        if set(values) != set(analysis.parameters):
            raise parameter_error()
        self._tables.refresh(analysis.tables)
        bound: dict[str, str | int | float] = dict(values)
        query = analysis.executable
        if analysis.limited:
            query = f"SELECT * FROM ({query})"  # noqa: S608 - the analyser took it
        sql = f"{query} LIMIT :b1_limit OFFSET :b1_skip"
        bound |= {"b1_limit": size + 1, "b1_skip": skip}
        try:
            fetched = self._connection.execute(sql, bound).fetchall()
        except sqlite3.OperationalError as error:
            if "b1_date" in analysis.executable and "user-defined function" in str(error):
                raise parameter_error() from error
            raise NotSimulatedError(f"how the database refuses this query ({error})") from error
        columns = sorted(enumerate(analysis.columns), key=lambda each: each[1].name)
        rows: list[Fields] = [
            {
                _member_name(column, switches): _shown(row[index], column, switches)
                for index, column in columns
            }
            for row in fetched[:size]
        ]
        if not switches.sql_stable_pages and skip:
            rows.reverse()
        more = skip + size if len(fetched) > size else None
        return QueryPage(text, rows, more, size)

    @property
    def _tables(self) -> SqliteMirror:
        if self._mirror is None:
            self._mirror = SqliteMirror(self._connection, self._owner)
        return self._mirror


def _member_name(column: ResultColumn, switches: Switches) -> str:
    return column.name.upper() if switches.has(OtherHabit.QUERY_NAMES_IN_CAPITALS) else column.name


def _shown(value: str | int | float | None, column: ResultColumn, switches: Switches) -> Value:
    """Return a value as an answer shows it: dates as `20201007`, decimals as numbers with a fraction."""
    if value is None:
        return None
    if column.type is SqlType.TIMESTAMP and isinstance(value, str):
        return value[:10] if switches.has(OtherHabit.QUERY_DATES_WITH_DASHES) else value[:10].replace("-", "")
    if isinstance(value, float) or (column.type is SqlType.DECIMAL and isinstance(value, int)):
        return normal(Decimal(repr(value)))
    return value


def _left(text: object, count: int) -> str | None:
    return None if text is None else str(text)[: max(0, count)]


def _right(text: object, count: int) -> str | None:
    return None if text is None else str(text)[-count:] if count > 0 else ""


def _date(text: object) -> str | None:
    """Return a date in the tables' form, from `20201007` or `2020-10-07`.

    Raises:
        ValueError: it is not a date.
    """
    if text is None:
        return None
    day = parse_date(str(text))
    if day is None:
        raise ValueError(text)
    return f"{day} 00:00:00"

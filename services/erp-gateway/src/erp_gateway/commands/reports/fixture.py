"""A report's fixture: values and the rows of its queries, as a JSON file that its author writes."""

import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import sqlglot
from attrs import field, frozen
from sqlglot.errors import SqlglotError

from erp_gateway.queries.client import QueryResult
from erp_gateway.queries.registry import Query, QueryRegistry
from erp_gateway.values.parameters.declare import ReportParameter
from erp_gateway.values.parameters.forms import OptionsFailedError, options_of

_MEMBERS: Final = ("values", "queries")


class FixtureError(Exception):
    """A fixture can't be used. The message names file and line."""


@frozen(kw_only=True)
class Fixture:
    """Parameters and query rows for trying a report.

    Attributes:
        file: path of the fixture; empty without a file.
        text: content of the file.
        values: values by parameter name, in the form that clients send.
        rows: rows by query name.
    """

    file: str = ""
    text: str = ""
    values: Mapping[str, object] = field(factory=dict)
    rows: Mapping[str, list[dict[str, object]]] = field(factory=dict)

    def place(self, word: str) -> str:
        """Return the place of the member with this name, as `rows.json, line 3`."""
        lines = self.text.splitlines()
        found = (number for number, line in enumerate(lines, 1) if f'"{word}"' in line)
        return f"{self.file}, line {next(found, 1)}"

    def result(self, query: str) -> QueryResult:
        """Return the rows of one query in the form of a database result."""
        rows = self.rows[query]
        return QueryResult(tuple(rows[0]) if rows else (), [dict(row) for row in rows], truncated=False)


def read_fixture(path: Path) -> Fixture:
    """Read a fixture. Numbers with a decimal point become `Decimal`, as most database drivers return them.

    Raises:
        FixtureError: the file is missing, is not JSON, or has the wrong structure.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text, parse_float=Decimal)
    except OSError as error:
        raise FixtureError(f"there is no fixture {path}") from error
    except UnicodeDecodeError as error:
        raise FixtureError(f"the fixture is no UTF-8 ({path.name}, line 1)") from error
    except json.JSONDecodeError as error:
        raise FixtureError(
            f"the fixture is no JSON: {error.msg} ({path.name}, line {error.lineno})"
        ) from error
    except ArithmeticError as error:
        raise FixtureError(
            f"the fixture has a number with an exponent beyond reading ({path.name})"
        ) from error
    fixture = Fixture(file=path.name, text=text)
    _demand(isinstance(content, dict), "the fixture must be an object", f"{path.name}, line 1")
    for member, value in content.items():
        hint = f"the fixture has no member {member!r}; it has {' and '.join(_MEMBERS)}"
        _demand(member in _MEMBERS, hint, fixture.place(member))
        _demand(isinstance(value, dict), f"the fixture's {member} must be an object", fixture.place(member))
    for name, rows in content.get("queries", {}).items():
        right = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
        _demand(right, f"the rows of the query {name} must be a list of objects", fixture.place(name))
    return Fixture(
        file=path.name, text=text, values=content.get("values", {}), rows=content.get("queries", {})
    )


def fixture_problems(fixture: Fixture, queries: QueryRegistry) -> Iterator[str]:
    """Yield parts of a fixture that no registered query could return."""
    for name, rows in fixture.rows.items():
        query = queries.find(name)
        if query is None:
            query_names = [each.name for each in queries.queries]
            yield f"there is no query {name!r}{did_you_mean(name, query_names)} ({fixture.place(name)})"
            continue
        columns = columns_of(query)
        if columns is None or not rows:
            continue
        for column in dict.fromkeys(column for row in rows for column in row):
            if column not in columns:
                hint = did_you_mean(column, columns)
                yield f"the query {name} returns no column {column!r}{hint} ({fixture.place(column)})"
        for column in columns:
            if any(column not in row for row in rows):
                yield f"a row of the query {name} lacks the column {column!r} ({fixture.place(name)})"


def option_problems(fixture: Fixture, parameters: Iterable[ReportParameter]) -> Iterator[str]:
    """Yield rows of a fixture that can't be choices of a parameter."""
    for parameter in parameters:
        source = parameter.input.options_from
        if source is None or source.query not in fixture.rows:
            continue
        try:
            options_of(parameter, source, fixture.result(source.query))
        except OptionsFailedError as error:
            yield f"values.{parameter.name}: {error} ({fixture.place(source.query)})"


def columns_of(query: Query) -> list[str] | None:
    """Return the column names of a query, or None if its text does not show them (`*`, or a column without a
    name).
    """
    try:
        names: list[str] = sqlglot.parse_one(next(iter(query.sql.values()))).named_selects  # type: ignore[attr-defined]  # of every kind of SELECT
    except (SqlglotError, AttributeError):
        return None
    return None if "*" in names or "" in names else names


def did_you_mean(word: str, valid_words: Any) -> str:
    """Return a hint if one of the valid words is similar."""
    close = get_close_matches(word, list(valid_words), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _demand(condition: bool, reason: str, place: str) -> None:
    if not condition:
        raise FixtureError(f"{reason} ({place})")

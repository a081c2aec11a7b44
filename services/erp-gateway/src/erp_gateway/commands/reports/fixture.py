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
    """A fixture can't be used; the text names file and line."""


@frozen(kw_only=True)
class Fixture:
    """What a report is tried on.

    Attributes:
        file: where it was read; empty for nowhere.
        text: what stands in it.
        values: as a person would send them, by parameter name.
        rows: of each query, by its name.
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
        """Return the rows of one query as the database would."""
        rows = self.rows[query]
        return QueryResult(tuple(rows[0]) if rows else (), [dict(row) for row in rows], truncated=False)


def read_fixture(path: Path) -> Fixture:
    """Read a fixture. Its numbers with a point become `Decimal`, as most engines give them.

    Raises:
        FixtureError: it is missing, no JSON, or of another shape.
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
        known = f"the fixture has no member {member!r}; it has {' and '.join(_MEMBERS)}"
        _demand(member in _MEMBERS, known, fixture.place(member))
        _demand(isinstance(value, dict), f"the fixture's {member} must be an object", fixture.place(member))
    for name, rows in content.get("queries", {}).items():
        right = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
        _demand(right, f"the rows of the query {name} must be a list of objects", fixture.place(name))
    return Fixture(
        file=path.name, text=text, values=content.get("values", {}), rows=content.get("queries", {})
    )


def fixture_problems(fixture: Fixture, queries: QueryRegistry) -> Iterator[str]:
    """Yield what of a fixture no registered query could have answered."""
    for name, rows in fixture.rows.items():
        query = queries.find(name)
        if query is None:
            known = [each.name for each in queries.queries]
            yield f"there is no query {name!r}{did_you_mean(name, known)} ({fixture.place(name)})"
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
    """Yield which rows of a fixture can't be the choices of the parameters that take theirs from a query."""
    for parameter in parameters:
        source = parameter.input.options_from
        if source is None or source.query not in fixture.rows:
            continue
        try:
            options_of(parameter, source, fixture.result(source.query))
        except OptionsFailedError as error:
            yield f"values.{parameter.name}: {error} ({fixture.place(source.query)})"


def columns_of(query: Query) -> list[str] | None:
    """Return the names of a query's columns; None where its text does not tell (`*`, or no name)."""
    try:
        names: list[str] = sqlglot.parse_one(next(iter(query.sql.values()))).named_selects  # type: ignore[attr-defined]  # of every kind of SELECT
    except (SqlglotError, AttributeError):
        return None
    return None if "*" in names or "" in names else names


def did_you_mean(word: str, known: Any) -> str:
    """Return a hint where one of the known words is close."""
    close = get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _demand(holds: bool, reason: str, place: str) -> None:
    if not holds:
        raise FixtureError(f"{reason} ({place})")

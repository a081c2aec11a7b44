"""The tables behind the wire: SQLite in memory, with HANA's type names and error numbers."""

import datetime as dt
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain, islice

from attrs import define, field, frozen

from erpsim.hana.protocol.codes import HanaError, Type
from erpsim.hana.protocol.columns import FLOATING_SCALE, Column, Value
from erpsim.hana.tables.sql_text import first_word, names_in, parameter_columns, to_sqlite

DEFAULT_PARAMETER = Column("", Type.NVARCHAR, 5000)
_SAMPLE = 50
_AFFINITY = {
    Type.TINYINT: "INTEGER",
    Type.SMALLINT: "INTEGER",
    Type.INTEGER: "INTEGER",
    Type.BIGINT: "INTEGER",
    Type.BOOLEAN: "INTEGER",
    Type.DECIMAL: "NUMERIC",
    Type.FIXED8: "NUMERIC",
    Type.FIXED12: "NUMERIC",
    Type.FIXED16: "NUMERIC",
    Type.REAL: "REAL",
    Type.DOUBLE: "REAL",
    Type.VARBINARY: "BLOB",
    Type.BLOB: "BLOB",
}
_ERRORS: tuple[tuple[re.Pattern[str], int, str], ...] = (
    (re.compile(r"no such table: (?:\w+\.)?(.+)"), 259, "invalid table name: Could not find table/view {0}"),
    (re.compile(r"no such column: (.+)"), 260, "invalid column name: {0}"),
    (re.compile(r"no such function: (.+)"), 328, "invalid name of function or procedure: {0}"),
    (re.compile(r"UNIQUE constraint failed: (.+)"), 301, "unique constraint violated: {0}"),
    (re.compile(r"(.*syntax error.*|incomplete input)"), 257, "sql syntax error: {0}"),
)
READ_ONLY_REFUSAL = (7, "feature not supported: write statement in a read only transaction")
QUERY_WORDS = frozenset({"SELECT", "WITH", "("})


@frozen
class Query:
    """A query's answer: its columns and its rows, taken one by one."""

    columns: Sequence[Column]
    rows: Iterator[Sequence[Value]]


@define
class Database:
    """Schemas with typed tables.

    Attributes:
        schemas: Their names, as written.
    """

    schemas: set[str] = field(factory=set)
    _types: dict[str, Column | None] = field(factory=dict)
    _preparations: list[Callable[[Iterable[str]], None]] = field(factory=list)
    _sqlite: sqlite3.Connection = field(
        factory=lambda: sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    )

    def __attrs_post_init__(self) -> None:
        self._sqlite.execute("CREATE TABLE DUMMY (DUMMY TEXT)")
        self._sqlite.execute("INSERT INTO DUMMY VALUES ('X')")
        for name, arity, function in _FUNCTIONS:
            self._sqlite.create_function(name, arity, function, deterministic=True)

    @property
    def connection(self) -> sqlite3.Connection:
        """The SQLite connection behind the tables, for those who fill a schema themselves."""
        return self._sqlite

    def before_statement(self, prepare: Callable[[Iterable[str]], None]) -> None:
        """Have a function called before each statement with the names that stand in it."""
        self._preparations.append(prepare)

    def declare(self, columns: Iterable[Column]) -> None:
        """Remember the types of columns by name; a name that has several types has none."""
        for column in columns:
            known = self._types.get(column.name, column)
            if known is None or known.type is not column.type:
                self._types[column.name] = None
            elif known.length <= column.length:
                self._types[column.name] = column

    def close(self) -> None:
        """Drop everything."""
        self._sqlite.close()

    def add_schema(self, name: str) -> None:
        """Make an empty schema."""
        self._sqlite.execute(f"ATTACH ':memory:' AS {_quoted(name)}")
        self.schemas.add(name)

    def add_table(
        self, schema: str, name: str, columns: Sequence[Column], rows: Iterable[Sequence[Value]] = ()
    ) -> None:
        """Make a table and fill it; a column name has one type over all tables."""
        declared = ", ".join(f"{_quoted(c.name)} {_AFFINITY.get(c.type, 'TEXT')}" for c in columns)
        target = f"{_quoted(schema)}.{_quoted(name)}"
        self._sqlite.execute(f"CREATE TABLE {target} ({declared})")
        marks = ", ".join("?" * len(columns))
        bound = ([_to_sqlite(value) for value in row] for row in rows)
        self._sqlite.executemany(f"INSERT INTO {target} VALUES ({marks})", bound)  # noqa: S608 - names are ours
        self.declare(columns)

    def parameters(self, sql: str) -> list[Column]:
        """Return how each ``?`` of a statement is declared to the client."""
        return [self._types.get(name or "") or DEFAULT_PARAMETER for name in parameter_columns(sql)]

    def query(
        self, sql: str, values: Sequence[Value], *, schema: str, user: str, connection_id: int
    ) -> Query:
        """Run a query.

        Raises:
            HanaError: As the server would refuse it.
        """
        self._prepare(sql)
        rewritten = to_sqlite(sql, schema=schema, user=user, connection_id=connection_id)
        cursor = self._run(rewritten, values)
        names = [description[0] for description in cursor.description or ()]
        sample = list(islice(cursor, _SAMPLE))
        columns = [
            self._types.get(name) or _guess(name, [row[position] for row in sample])
            for position, name in enumerate(names)
        ]
        columns = [Column(name, c.type, c.length, c.scale) for name, c in zip(names, columns, strict=True)]
        return Query(columns, (row for row in chain(sample, cursor)))

    def change(self, sql: str, rows: Sequence[Sequence[Value]], *, schema: str, user: str) -> list[int]:
        """Run a statement that is no query, once for each row of values; return the rows it touched.

        Raises:
            HanaError: As the server would refuse it.
        """
        self._prepare(sql)
        rewritten = to_sqlite(sql, schema=schema, user=user, connection_id=0)
        return [max(0, self._run(rewritten, values).rowcount) for values in rows or [()]]

    def _prepare(self, sql: str) -> None:
        if self._preparations:
            names = names_in(sql)
            for prepare in self._preparations:
                prepare(names)

    def _run(self, sql: str, values: Sequence[Value]) -> sqlite3.Cursor:
        try:
            return self._sqlite.execute(sql, [_to_sqlite(value) for value in values])
        except sqlite3.Error as error:
            raise _translated(error) from error


def is_query(sql: str) -> bool:
    """Tell whether a statement gives rows."""
    return first_word(sql) in QUERY_WORDS


def _translated(error: sqlite3.Error) -> HanaError:
    text = str(error)
    for pattern, code, template in _ERRORS:
        match = pattern.search(text)
        if match is not None:
            sqlstate = "23000" if "UNIQUE" in text else "HY000"
            return HanaError(code, template.format(match.group(1)), sqlstate=sqlstate)
    return HanaError(2048, f"column store error: {text}")


def _to_sqlite(value: Value) -> int | float | str | bytes | None:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return value


def _guess(name: str, values: Sequence[object]) -> Column:
    """Guess the type of a computed column from its first values."""
    known = {type(value) for value in values if value is not None}
    if known == {int}:
        return Column(name, Type.BIGINT, 19)
    if known and known <= {int, float}:
        return Column(name, Type.DECIMAL, 34, FLOATING_SCALE)
    if known == {bytes}:
        return Column(name, Type.VARBINARY, 5000)
    return Column(name, Type.NVARCHAR, 5000)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def _add_days(text: str | None, days: int) -> str | None:
    return None if text is None else (_moment(text) + dt.timedelta(days=days)).isoformat(" ")


def _days_between(first: str | None, second: str | None) -> int | None:
    if first is None or second is None:
        return None
    return (_moment(second).date() - _moment(first).date()).days


def _to_varchar(value: object, pattern: str = "") -> str | None:
    if value is None or not pattern:
        return None if value is None else str(value)
    words = {"YYYY": "%Y", "MM": "%m", "DD": "%d", "HH24": "%H", "MI": "%M", "SS": "%S"}
    return _moment(str(value)).strftime(re.sub("|".join(words), lambda m: words[m.group()], pattern))


_FUNCTIONS = (
    ("ADD_DAYS", 2, _add_days),
    ("DAYS_BETWEEN", 2, _days_between),
    ("TO_VARCHAR", 1, _to_varchar),
    ("TO_VARCHAR", 2, _to_varchar),
    ("TO_NVARCHAR", 1, _to_varchar),
    ("TO_NVARCHAR", 2, _to_varchar),
)

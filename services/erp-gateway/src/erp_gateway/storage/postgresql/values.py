"""Rows and texts as the store's statements expect them of every engine."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from psycopg import Connection, Cursor
from psycopg.abc import Buffer
from psycopg.rows import RowMaker
from psycopg.types.string import StrDumperUnknown, TextLoader
from typing_extensions import override

from erp_gateway.storage.postgresql.dialect import original, statement, stored

_TEXT: Final = "text"


class StoredRow:
    """One row: its values in order, each also by the place or the name of its column."""

    __slots__ = ("_places", "_values")

    def __init__(self, places: dict[str, int], values: Sequence[Any]) -> None:
        self._places = places
        self._values = values

    def __getitem__(self, column: Any, /) -> Any:
        return self._values[self._places[column] if isinstance(column, str) else column]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def make_rows(cursor: Cursor[Any]) -> RowMaker[StoredRow]:
    """Return what makes a cursor's rows, as psycopg asks for it."""
    places = {column.name: place for place, column in enumerate(cursor.description or ())}
    return lambda values: StoredRow(places, values)


class _StoredText(StrDumperUnknown):
    @override
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(stored(obj))


class _OriginalText(TextLoader):
    @override
    def load(self, data: Buffer) -> bytes | str:
        text = super().load(data)
        return original(text) if isinstance(text, str) else text


class PostgresStatements:
    """Runs the store's statements on a connection.

    Args:
        connection: an open one.
    """

    def __init__(self, connection: Connection[StoredRow]) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor[StoredRow]:
        """Run one statement with its values."""
        run: Callable[..., Cursor[StoredRow]] = self._connection.execute  # its texts need not be literals
        return run(statement(sql), parameters)


def adapt(connection: Connection[StoredRow]) -> None:
    """Let a connection's texts come back as they were given."""
    connection.adapters.register_dumper(str, _StoredText)
    connection.adapters.register_loader(_TEXT, _OriginalText)

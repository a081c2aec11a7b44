"""What a piece of work may ask of the store, whichever engine keeps it; SQLite's own connection gives it.

Statements are written once, for every engine: `?` for a value, `ON CONFLICT` for what may be there already,
texts compared byte by byte, whole numbers for what is true or false.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Row(Protocol):
    """One row: its values in order, each also by the place or the name of its column."""

    def __getitem__(self, column: Any, /) -> Any: ...  # int or str

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...


class Result(Protocol):
    """What a statement found or did."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        ...

    def fetchall(self) -> list[Any]:
        """Return all rows that were found, each a `Row`."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class Statements(Protocol):
    """Runs statements inside a transaction that its caller has begun and ends."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Result:
        """Run one statement with its values."""
        ...


class Work(Protocol[T_co]):
    """Runs statements and waits for nothing else; may be run twice, the first time undone."""

    def __call__(self, statements: Statements, /) -> T_co:
        """Run on the thread of the connection and return what its caller wants to know."""
        ...

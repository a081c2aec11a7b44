"""Where a store is: the path of a SQLite file, or a database of PostgreSQL."""

from pathlib import Path
from typing import TypeAlias

from attrs import frozen
from typing_extensions import override

from erp_gateway.settings.service import without_password
from servicekit.config import Secret


@frozen
class PostgresPlace:
    """A database of PostgreSQL; as a text it says which, and never its password.

    Attributes:
        url: `postgresql://user:password@host:5432/database`, with whatever parameters libpq takes.
    """

    url: Secret

    @override
    def __str__(self) -> str:
        return without_password(self.url.reveal())


StorePlace: TypeAlias = Path | PostgresPlace
"""The place of a store; a path is that of a SQLite file."""


def place_of(path: Path, url: Secret | None) -> StorePlace:
    """Return where the store is that is configured so; a URL goes before the path."""
    return path if url is None else PostgresPlace(url)


def engine_name(place: StorePlace) -> str:
    """Return the name of the engine that keeps the store there."""
    return "sqlite" if isinstance(place, Path) else "postgresql"

"""Place of a store: the path of a SQLite file, or a PostgreSQL database."""

from pathlib import Path
from typing import TypeAlias

from attrs import frozen
from typing_extensions import override

from erp_gateway.settings.service import without_password
from servicekit.config import Secret


@frozen
class PostgresPlace:
    """A PostgreSQL database; its text form has no password.

    Attributes:
        url: `postgresql://user:password@host:5432/database`, with any parameters of libpq.
    """

    url: Secret

    @override
    def __str__(self) -> str:
        return without_password(self.url.reveal())


StorePlace: TypeAlias = Path | PostgresPlace
"""The place of a store; a path is that of a SQLite file."""


def place_of(path: Path, url: Secret | None) -> StorePlace:
    """Return the configured place; a URL takes precedence over the path."""
    return path if url is None else PostgresPlace(url)


def engine_name(place: StorePlace) -> str:
    """Return the name of the place's engine."""
    return "sqlite" if isinstance(place, Path) else "postgresql"

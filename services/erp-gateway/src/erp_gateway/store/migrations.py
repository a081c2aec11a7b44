"""Numbered SQL scripts that upgrade a store to the schema of this version, on every engine.

They are written for SQLite; `postgresql/dialect.py` translates them.
"""

import re
from collections.abc import Sequence
from importlib import resources
from importlib.resources.abc import Traversable

from attrs import frozen

_FILE_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")


@frozen(kw_only=True)
class Migration:
    """One script; `number` is the store's version after it has run."""

    number: int
    name: str
    script: str


def load_migrations(folder: Traversable | None = None) -> tuple[Migration, ...]:
    """Return the scripts of a folder, in order.

    Args:
        folder: None for the scripts shipped in `store/schema`.

    Raises:
        ValueError: a file there is not named like `0001_initial.sql`.
    """
    folder = folder or resources.files("erp_gateway.store").joinpath("schema")
    migrations = []
    for file in folder.iterdir():
        match = _FILE_NAME.fullmatch(file.name)
        if match is None:
            raise ValueError(f"{file.name} is not named like 0001_initial.sql")
        migrations.append(
            Migration(number=int(match[1]), name=match[2], script=file.read_text(encoding="utf-8"))
        )
    return tuple(sorted(migrations, key=lambda migration: migration.number))


def plan_upgrade(version: int, migrations: Sequence[Migration]) -> tuple[Migration, ...]:
    """Return the scripts that a store of `version` still needs.

    Args:
        version: the store's; 0 for a new one.
        migrations: all scripts of this code, in order.

    Raises:
        ValueError: the scripts are not numbered 1, 2, 3, …
        LookupError: the store is newer than the newest script.
    """
    if [migration.number for migration in migrations] != list(range(1, len(migrations) + 1)):
        raise ValueError("migrations must be numbered 1, 2, 3, … without gaps")
    if version > len(migrations):
        raise LookupError(f"store version {version} is newer than {len(migrations)}")
    return tuple(migrations[version:])

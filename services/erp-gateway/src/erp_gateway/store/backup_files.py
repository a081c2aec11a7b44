"""Names of dated backups in a folder: `gateway-20261128T020000Z.sqlite`, or `.dump`."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_FORM: Final = "%Y%m%dT%H%M%SZ"
_NAME: Final = re.compile(r"gateway-(\d{8}T\d{6}Z)\.(?:sqlite|dump)")


def backup_name(at: datetime, *, is_dump: bool) -> str:
    """Return the name of a backup of that time."""
    return f"gateway-{at.astimezone(UTC):{_FORM}}.{'dump' if is_dump else 'sqlite'}"


def dated_backups(folder: Path) -> tuple[tuple[datetime, Path], ...]:
    """Return the dated backups of a folder with their times, newest first; other files are ignored.

    Raises:
        OSError: the folder can't be listed.
    """
    backups = []
    for file in folder.iterdir():
        match = _NAME.fullmatch(file.name)
        if match is None or not file.is_file():
            continue
        try:
            moment = datetime.strptime(match[1], _FORM).replace(tzinfo=UTC)
        except ValueError:  # a 13th month
            continue
        backups.append((moment, file))
    return tuple(sorted(backups, reverse=True))


def prune_backups(folder: Path, *, keep: int) -> tuple[Path, ...]:
    """Delete all dated backups but the newest `keep`; return the deleted files.

    Raises:
        OSError: one can't be deleted.
    """
    old = tuple(file for _, file in dated_backups(folder)[keep:])
    for file in old:
        file.unlink()
    return old

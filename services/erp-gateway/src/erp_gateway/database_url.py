"""The URL of a database of PostgreSQL: whether it is one, and what of it may be shown."""

import re
from typing import Final

ALLOWED: Final = (
    "postgresql://user:password@host:5432/database, with ?sslmode=… and the like; "
    "in user and password @ : / ? # % are written %40 and so on"
)

_SHAPE: Final = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^@:/?#\s]*)(?::[^@/?#\s]*)?@)?(?P<hosts>[^@/?#\s]*)/(?P<name>[^@/?#\s]+)"
    r"(?:\?[^#\s]*)?"
)


def is_database_url(text: str) -> bool:
    """Tell whether a text has the shape of one; what else there is to know, only libpq knows."""
    return _SHAPE.fullmatch(text) is not None


def without_password(text: str) -> str:
    """Return which database it is: user, hosts, name; no password, and no parameter, which may hold one."""
    match = _SHAPE.fullmatch(text)
    if match is None:
        return "postgresql"
    user = f"{match['user']}@" if match["user"] else ""
    return f"postgresql://{user}{match['hosts']}/{match['name']}"

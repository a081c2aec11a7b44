"""Names of web users: which ones belong to the service itself, and which ones are typed as they look."""

from enum import StrEnum
from typing import Final

from servicekit.throttle import key_of_user
from servicekit.visible_text import remove_invisible


class SystemName(StrEnum):
    """Names under which the service itself acts. No person may sign in under one of them."""

    ANONYMOUS = "anonymous"
    CLI = "cli"
    LOOKUP = "lookup"
    RECHECK = "recheck"
    STARTUP = "startup"


_RESERVED_PREFIXES: Final = ("erp_gateway:", "erpclient:")
"""How the names of internal queue lanes begin, as `GET /api/system` shows them."""


def is_reserved(name: str) -> bool:
    """Return whether a name looks like one of the service's own, or like none at all."""
    folded = key_of_user(name)
    return not folded or folded in set(SystemName) or folded.startswith(_RESERVED_PREFIXES)


def has_plain_form(name: str) -> bool:
    """Return whether a name has neither surrounding blanks nor invisible characters."""
    return name == remove_invisible(name).strip()

"""Names of web users: reserved names, and names without invisible characters."""

from enum import StrEnum
from typing import Final

from servicekit.throttle import key_of_user
from servicekit.visible_text import remove_invisible


class SystemName(StrEnum):
    """Names under which the service itself acts. They are reserved: no employee can sign in with one."""

    ANONYMOUS = "anonymous"
    CLI = "cli"
    LOOKUP = "lookup"
    RECHECK = "recheck"
    STARTUP = "startup"


# Prefixes of internal queue lanes, as shown by `GET /api/system`.
_RESERVED_PREFIXES: Final = ("erp_gateway:", "erpclient:")


def is_reserved(name: str) -> bool:
    """Return True if a name is empty or looks like one of the service's own."""
    folded = key_of_user(name)
    return not folded or folded in set(SystemName) or folded.startswith(_RESERVED_PREFIXES)


def has_plain_form(name: str) -> bool:
    """Return whether a name has neither surrounding blanks nor invisible characters."""
    return name == remove_invisible(name).strip()

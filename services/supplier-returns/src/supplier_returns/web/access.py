"""The access kinds of endpoints: who may call them.

Access is a required argument of every endpoint, so forgetting it is a type error and not an open door.
"""

from enum import Enum
from typing import Final

SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
"""Methods that change nothing, whoever makes a browser send them."""


class Access(Enum):
    """Kinds of access; the value is what the API's description says."""

    PUBLIC = "Public: no session needed."
    SESSION = "Any session."
    DESCRIPTION = "Any session; who has none is told how to get one."

"""Access kinds of endpoints.

Every endpoint must declare its access. If you forget it, the type checker reports an error instead of the
endpoint being open.
"""

from enum import Enum
from typing import Final

SAFE_METHODS: Final = frozenset({"GET", "HEAD"})
"""Methods that change nothing, so that no origin check is needed."""


class Access(Enum):
    """Access kind. The value appears in the API documentation."""

    PUBLIC = "Public: no session needed."
    SESSION = "Any session."
    DESCRIPTION = "Any session; who has none is told how to get one."

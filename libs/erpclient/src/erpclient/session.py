"""The session with the ERP."""

from enum import Enum


class SessionState(Enum):
    """Where a session stands."""

    NONE = "none"
    """Not logged in: not yet, or the last session was lost."""
    LOGGING_IN = "logging_in"
    ACTIVE = "active"
    FAILING = "failing"
    """The last login failed and the next one has to wait."""
    ENDED = "ended"
    """Over and not renewable."""
    CLOSED = "closed"

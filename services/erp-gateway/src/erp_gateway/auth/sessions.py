"""Web sessions in memory: one token per user, a sliding timeout, digests instead of tokens."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from erp_gateway.clock import Clock
from erp_gateway.web.session import WebSession


class WebSessionStore:
    """All live web sessions of this process."""

    def __init__(
        self, *, timeout_s: float, clock: Clock, new_token: Callable[[], str] | None = None, capacity: int = 10_000
    ) -> None:
        raise NotImplementedError

    @property
    def timeout_s(self) -> float:
        """Seconds without a request after which a session ends."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return how many sessions are live."""
        raise NotImplementedError

    def authenticate(self, token: str) -> WebSession:
        """Return the session of a bearer token and slide its timeout; see `SessionSource`."""
        raise NotImplementedError

    def close(self, session: WebSession) -> None:
        """End a session; ending one that has ended does nothing."""
        raise NotImplementedError

    def replaced_at(self, token: str) -> datetime | None:
        """Return when a newer login took the token's place, if that is why it ended."""
        raise NotImplementedError

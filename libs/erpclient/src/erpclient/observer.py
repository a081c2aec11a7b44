"""Events of the client, for metrics."""

from typing import Final, Protocol

LOGIN_OUTCOMES: Final = ("ok", "rejected", "failed")
"""Outcomes of a login: a session, a refusal, or no readable reply."""


class Observer(Protocol):
    """Receives every upstream call, login and wait. Its methods must be fast and must not raise."""

    def call_finished(self, *, method: str, resource: str, outcome: str, duration_s: float) -> None:
        """An HTTP request to the ERP has finished.

        Args:
            method: HTTP method.
            resource: entity set, service action, ``Login``, ``Logout``, ``probe`` or ``ping``; never a
                key.
            outcome: the status as text, or ``unreachable``, ``timeout``, ``unreadable``, ``cancelled``.
            duration_s: from sending to the last byte.
        """
        ...

    def call_repeated(self, *, reason: str) -> None:
        """A request is repeated.

        Args:
            reason: ``expired_session``, ``stale_connection``, ``key_in_path``, ``data_version``.
        """
        ...

    def login_finished(self, *, outcome: str, duration_s: float) -> None:
        """A login has finished; `outcome` is one of `LOGIN_OUTCOMES`."""
        ...

    def wait_finished(self, *, outcome: str, duration_s: float) -> None:
        """A wait for a turn has finished: ``sent``, ``full``, ``timeout``, ``left``, ``unwell`` or
        ``closed``."""
        ...


class NullObserver:
    """Observer that ignores every event."""

    def call_finished(self, *, method: str, resource: str, outcome: str, duration_s: float) -> None:
        """As :meth:`Observer.call_finished`."""

    def call_repeated(self, *, reason: str) -> None:
        """As :meth:`Observer.call_repeated`."""

    def login_finished(self, *, outcome: str, duration_s: float) -> None:
        """As :meth:`Observer.login_finished`."""

    def wait_finished(self, *, outcome: str, duration_s: float) -> None:
        """As :meth:`Observer.wait_finished`."""

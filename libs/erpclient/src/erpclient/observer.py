"""Where the client tells what it does, for metrics."""

from typing import Final, Protocol

LOGIN_OUTCOMES: Final = ("ok", "rejected", "failed")
"""How a login ends: with a session, refused by the ERP, or without an answer to read."""


class Observer(Protocol):
    """Told of every upstream call, login and wait. Called in the event loop: must be quick and not raise."""

    def call_finished(self, *, method: str, resource: str, outcome: str, duration_s: float) -> None:
        """One HTTP request to the ERP is over.

        Args:
            method: HTTP method.
            resource: entity set, service action, ``Login``, ``Logout``, ``probe`` or ``ping``; never a
                key.
            outcome: the status as text, or ``unreachable``, ``timeout``, ``unreadable``, ``cancelled``.
            duration_s: from sending to the last byte.
        """
        ...

    def call_repeated(self, *, reason: str) -> None:
        """A request is sent a second time.

        Args:
            reason: ``expired_session``, ``stale_connection``, ``key_in_path``, ``data_version``.
        """
        ...

    def login_finished(self, *, outcome: str, duration_s: float) -> None:
        """One login is over; `outcome` is one of `LOGIN_OUTCOMES`."""
        ...

    def wait_finished(self, *, outcome: str, duration_s: float) -> None:
        """A wait for a turn is over: ``sent``, ``full``, ``timeout``, ``left``, ``unwell`` or
        ``closed``."""
        ...


class NullObserver:
    """An observer that takes no notice."""

    def call_finished(self, *, method: str, resource: str, outcome: str, duration_s: float) -> None:
        """As :meth:`Observer.call_finished`."""

    def call_repeated(self, *, reason: str) -> None:
        """As :meth:`Observer.call_repeated`."""

    def login_finished(self, *, outcome: str, duration_s: float) -> None:
        """As :meth:`Observer.login_finished`."""

    def wait_finished(self, *, outcome: str, duration_s: float) -> None:
        """As :meth:`Observer.wait_finished`."""

"""Context variable with the current request, for log lines."""

from collections.abc import Iterable
from contextvars import ContextVar
from typing import Final, Protocol


class RequestContext(Protocol):
    """The current request, as log lines use it."""

    @property
    def request_id(self) -> str:
        """The id that every line of the request carries."""
        ...

    @property
    def traceparent(self) -> str | None:
        """The W3C trace header of the request; None without one."""
        ...

    def secret_values(self) -> Iterable[str]:
        """Texts of this request that no line may show: its token, its cookies, passwords of its body."""
        ...


current_request: Final[ContextVar[RequestContext | None]] = ContextVar("current_request", default=None)
"""The request of this context; None outside of one."""

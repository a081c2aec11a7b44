"""Facts of one request, collected while it runs and written in the canonical log line."""

from collections.abc import Iterator
from typing import Final, final

from attrs import define, field
from starlette.types import Scope

_KEY: Final = "servicekit.facts"


@final
@define(eq=False, repr=False)
class RequestFacts:
    """The facts of one request; a plain mutable object, found by `request_facts(request.scope)`.

    Attributes:
        request_id: the id that is returned, logged, audited and sent upstream.
        traceparent: the W3C trace header as received, when well-formed.
        client_ip: the client's address, as far as trusted proxies report it.
        scheme: `http` or `https`, as the client sees it.
        host: host and port as the client sees them.
        prefix: the path prefix that a trusted proxy took off, "" or `/x`.
        route: the template of the endpoint, such as `/api/orders/{key}`; None before it is known.
        is_polled: whether a successful response is logged at `debug` only.
        user: the signed-in user's name; set by the guard.
        error_code: the `code` of the error response.
        upstream_calls: number of upstream calls.
        upstream_s: seconds spent in them.
        queue_s: seconds spent waiting in the queue.
        cached: whether the response is from memory.
        extra: further names and values for the log line.
        secrets: texts that the request's log lines must not show, such as a password of its body.
    """

    request_id: str
    client_ip: str = ""
    scheme: str = "http"
    host: str = ""
    prefix: str = ""
    traceparent: str | None = None
    _headers: dict[bytes, bytes] = field(factory=dict)
    route: str | None = None
    is_polled: bool = False
    user: str | None = None
    error_code: str | None = None
    upstream_calls: int = 0
    upstream_s: float = 0.0
    queue_s: float = 0.0
    cached: bool = False
    extra: dict[str, str | int | float | bool] = field(factory=dict)
    secrets: list[str] = field(factory=list)

    def secret_values(self) -> Iterator[str]:
        """Yield the secrets of this request: credentials, cookie values and `secrets`."""
        yield from self.secrets
        yield self._headers.get(b"authorization", b"").decode("latin-1").rpartition(" ")[2]
        for cookie in self._headers.get(b"cookie", b"").decode("latin-1").split(";"):
            yield cookie.partition("=")[2].strip()


def request_facts(scope: Scope) -> RequestFacts:
    """Return the facts of the request that this ASGI scope belongs to.

    Raises:
        KeyError: `RequestMiddleware` does not wrap the application.
    """
    facts: RequestFacts = scope[_KEY]
    return facts


def set_request_facts(scope: Scope, facts: RequestFacts) -> None:
    """Bind the facts to the request's scope."""
    scope[_KEY] = facts

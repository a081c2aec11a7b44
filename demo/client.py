"""An HTTP client that shows every request and its answer."""

import http.client
import json
from collections.abc import Collection, Mapping

from stack.exchange import Answer, exchange

_WIDTH = 116
_SHOWN_HEADERS = (
    "Location",
    "ETag",
    "Idempotency-Replayed",
    "Retry-After",
    "WWW-Authenticate",
    "Content-Disposition",
)
_REPEATED_IN_A_PROBLEM = frozenset({"type", "title", "status", "message"})


class Client:
    """Talks to one loopback port and prints what it says and hears, but for passwords and tokens.

    Args:
        port: where the origin listens.
    """

    def __init__(self, port: int) -> None:
        self._port = port

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        quiet: Collection[str] = (),
    ) -> Answer:
        """Send one request and return the answer.

        Headers in `quiet` are sent and not shown; the other arguments are those of
        `stack.exchange.exchange`.
        """
        print(f"   > {method} {path}")
        for name, value in (headers or {}).items():
            if name not in quiet:
                print(f"     {name}: {value}")
        if body is not None:
            print(f"     {_shortened(_without_secrets(body))}")
        answer = exchange(self._port, method, path, body, token=token, headers=headers)
        print(f"   < {answer.status} {http.client.responses.get(answer.status, '')}")
        for name in _SHOWN_HEADERS:
            if name in answer.headers:
                print(f"     {name}: {answer.headers[name]}")
        if answer.content:
            print(f"     {_shortened(_without_secrets(_telling(answer)))}")
        return answer


def _telling(answer: Answer) -> object:
    """Leave out of a problem document what says the same thing twice; of what is no JSON tell the size."""
    kind = answer.headers.get_content_type()
    if not kind.endswith("json"):
        return f"{kind}, {len(answer.content):,} bytes"
    if kind != "application/problem+json":
        return answer.body
    return {name: value for name, value in answer.body.items() if name not in _REPEATED_IN_A_PROBLEM}


def _without_secrets(value: object) -> object:
    if isinstance(value, dict):
        return {
            name: "…" if name in {"password", "token", "clave"} else _without_secrets(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_without_secrets(inner) for inner in value]
    return value


def _shortened(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH * 3 else f"{text[: _WIDTH * 3]} … ({len(text)} characters)"

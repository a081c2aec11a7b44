"""A small HTTP client that shows every request and its answer."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tools.stack.processes import LOOPBACK

_WIDTH = 116
_SHOWN_HEADERS = ("Location", "ETag", "Retry-After", "WWW-Authenticate")


@dataclass(frozen=True)
class Answer:
    """Status, headers (names as sent) and the JSON body, None where there is none."""

    status: int
    headers: Mapping[str, str]
    body: Any


class Client:
    """Talks to one loopback port and prints what it says and hears.

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
    ) -> Answer:
        """Send one request and return the answer.

        Args:
            method: HTTP method.
            path: percent-encoded path with its query.
            body: anything JSON can hold; None sends no body.
            token: bearer token of a web session.
            headers: further headers.
        """
        sent = dict(headers or {})
        print(f"   > {method} {path}")
        for name, value in sent.items():
            print(f"     {name}: {value}")
        payload = None
        if body is not None:
            payload = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
            print(f"     {_shortened(_without_secrets(body))}")
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        answer = self._exchange(method, path, payload, sent)
        print(f"   < {answer.status} {http.client.responses.get(answer.status, '')}")
        for name in _SHOWN_HEADERS:
            if name in answer.headers:
                print(f"     {name}: {answer.headers[name]}")
        if answer.body is not None:
            print(f"     {_shortened(_without_secrets(answer.body))}")
        return answer

    def _exchange(self, method: str, path: str, payload: bytes | None, headers: Mapping[str, str]) -> Answer:
        connection = http.client.HTTPConnection(LOOPBACK, self._port, timeout=120)
        try:
            connection.request(method, path, payload, dict(headers))
            reply = connection.getresponse()
            text = reply.read()
            return Answer(reply.status, dict(reply.getheaders()), json.loads(text) if text else None)
        finally:
            connection.close()


def _without_secrets(value: object) -> object:
    if isinstance(value, dict):
        return {
            name: "…" if name in {"password", "token"} else _without_secrets(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_without_secrets(inner) for inner in value]
    return value


def _shortened(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH * 3 else f"{text[: _WIDTH * 3]} … ({len(text)} characters)"

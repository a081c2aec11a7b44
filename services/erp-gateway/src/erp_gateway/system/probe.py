"""What the probe tells of a request: values, no HTTP."""

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from servicekit.errors import FieldProblem, InvalidQuery

EVENTS_TOLD: Final = 4
PAUSE_S: Final = 0.25
LONGEST_WAIT_S: Final = 300
"""Longer than any request of the service may take."""

FORWARDED_NAMES: Final = (
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-real-ip",
)
"""Headers by which proxies, or who forges them, say where a request comes from."""


@frozen(kw_only=True)
class SeenRequest:
    """What reached the service.

    Attributes:
        target: path and query, still encoded.
        client: the client's address, as far as trusted proxies tell it.
        peer: who opened the connection.
        scheme: `http` or `https`, as the service believes the client used it.
        host: host and port, as the service believes the client asked for them.
        prefix: the path prefix that a trusted proxy says it took off.
        forwarded: names of the headers about where the request comes from that came with a value.
        body_bytes: length of the body.
    """

    target: str
    client: str
    peer: str
    scheme: str
    host: str
    prefix: str
    forwarded: tuple[str, ...]
    body_bytes: int


@frozen(kw_only=True)
class TickEvent:
    """One event of the stream; they are numbered from 1."""

    number: int


EXAMPLE_SEEN: Final = {
    "target": "/api/system/probe/A%2F1",
    "client": "10.0.4.17",
    "peer": "172.18.0.5",
    "scheme": "https",
    "host": "erp.example.com",
    "prefix": "",
    "forwarded": ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"],
    "bodyBytes": 0,
}


def wait_of(query: Mapping[str, str]) -> int:
    """Read for how many seconds the service is to keep silent.

    Raises:
        InvalidQuery: no whole number from 0 to `LONGEST_WAIT_S`.
    """
    told = query.get("espera", "0")
    if not (told.isascii() and told.isdigit() and len(told) <= 3 and int(told) <= LONGEST_WAIT_S):  # noqa: PLR2004 - digits
        raise InvalidQuery(errors=[FieldProblem("espera", f"Debe ser un entero de 0 a {LONGEST_WAIT_S}.")])
    return int(told)

"""`GET /api/system`, and `/api/system/probe`, by which the doctor sees what a proxy makes of a request."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import msgspec
from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.system.service import EXAMPLE, SystemAnswer, SystemService
from erp_gateway.web.access import Access
from erp_gateway.web.disconnects import cancel_on_disconnect
from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    PathParam,
    QueryParam,
    client_gone,
    json_response,
    read_body,
    read_query,
)
from servicekit.endpoint.event_stream import ACCEPT, EVENTS, stream, wants_events
from servicekit.endpoint.shapes import unstructure
from servicekit.errors import FieldProblem, InvalidQuery
from servicekit.request_log import request_facts
from servicekit.tasks import Following

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


_EXAMPLE_SEEN: Final = {
    "target": "/api/system/probe/A%2F1",
    "client": "10.0.4.17",
    "peer": "172.18.0.5",
    "scheme": "https",
    "host": "erp.example.com",
    "prefix": "",
    "forwarded": ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"],
    "bodyBytes": 0,
}
_SEEN: Final = {200: Answer("What reached the service.", Body(SeenRequest, example=_EXAMPLE_SEEN))}
_WAIT: Final = QueryParam(
    "espera",
    "Seconds without a byte before the answer.",
    example=65,
    schema={"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT_S, "default": 0},
)


def endpoints(service: SystemService) -> list[Endpoint]:
    """Declare the endpoints of this feature."""

    async def look(_request: Request) -> Response:
        return json_response(await service.look())

    return [
        Endpoint(
            "GET",
            "/api/system",
            look,
            access=Access.ADMIN,
            summary="How the service is",
            description=(
                "What its parts know of themselves at this moment: the ERP (its balancer is asked at most "
                "once in 5 s), who waits in the queue and for how long, sessions, modules, and the last "
                "requests that failed with a status from 500 on, newest first. New members may be added."
            ),
            responses={200: Answer("The state at this moment.", Body(SystemAnswer, example=EXAMPLE))},
        ),
        Endpoint(
            "GET",
            "/api/system/probe",
            _probe,
            access=Access.ADMIN,
            summary="What a request is like when it reaches the service",
            description=(
                "For `erp-gateway doctor --origin`: a proxy that changes requests shows here. With `espera` "
                "the service keeps silent first, so that a proxy's patience shows; with `Accept: "
                f"text/event-stream` it tells {EVENTS_TOLD} events {PAUSE_S:g} s apart, which a proxy that "
                "collects answers delivers all at once."
            ),
            query=(_WAIT,),
            headers=(ACCEPT,),
            responses={200: Answer("What reached the service.", _SEEN[200].body, others=(EVENTS,))},
            errors=(InvalidQuery,),
        ),
        Endpoint(
            "GET",
            "/api/system/probe/{key}",
            _probe_key,
            access=Access.ADMIN,
            summary="The same with a record's key in the path, in any spelling",
            path_params={"key": PathParam("Any text; it is not looked at", "A%2F1")},
            responses=_SEEN,
        ),
        Endpoint(
            "POST",
            "/api/system/probe",
            _probe_body,
            access=Access.ADMIN,
            summary="The same with a body, whose length is told",
            description="The body is counted, up to `MAX_BODY_BYTES`, and not looked at.",
            request=Body({}, example="xxxx"),
            responses=_SEEN,
        ),
    ]


async def _probe(request: Request) -> Response:
    wait_s = _wait_of(read_query(request))
    if wants_events(request):
        work: Following[TickEvent, SeenRequest] = Following(partial(_tell, request))
        return stream(request, work, progress_json=_json, result_json=_json)
    await cancel_on_disconnect(asyncio.sleep(wait_s), partial(client_gone, request))
    return json_response(_seen(request))


async def _probe_key(request: Request) -> Response:
    return json_response(_seen(request))


async def _probe_body(request: Request) -> Response:
    return json_response(_seen(request, len(await read_body(request))))


async def _tell(request: Request, told: Callable[[TickEvent], None]) -> SeenRequest:
    for number in range(1, EVENTS_TOLD + 1):
        told(TickEvent(number=number))
        await asyncio.sleep(PAUSE_S)
    return _seen(request)


def _seen(request: Request, body_bytes: int = 0) -> SeenRequest:
    """Tell what of a request reached this service, byte for byte where bytes matter."""
    scope, facts = request.scope, request_facts(request.scope)
    query = scope["query_string"]
    target = scope["raw_path"] + (b"?" + query if query else b"")
    names = {name.decode("latin-1") for name, value in scope["headers"] if value}
    return SeenRequest(
        target=target.decode("latin-1"),
        client=facts.client_ip,
        peer=scope["client"][0] if scope["client"] else "",
        scheme=facts.scheme,
        host=facts.host,
        prefix=facts.prefix,
        forwarded=tuple(name for name in FORWARDED_NAMES if name in names),
        body_bytes=body_bytes,
    )


def _json(value: TickEvent | SeenRequest) -> bytes:
    return msgspec.json.encode(unstructure(value))


def _wait_of(query: Mapping[str, str]) -> int:
    """Read for how many seconds the service is to keep silent.

    Raises:
        InvalidQuery: no whole number from 0 to `LONGEST_WAIT_S`.
    """
    told = query.get("espera", "0")
    if not (told.isascii() and told.isdigit() and len(told) <= 3 and int(told) <= LONGEST_WAIT_S):  # noqa: PLR2004 - digits
        raise InvalidQuery(errors=[FieldProblem("espera", f"Debe ser un entero de 0 a {LONGEST_WAIT_S}.")])
    return int(told)

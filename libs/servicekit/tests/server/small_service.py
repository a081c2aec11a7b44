"""A small service that the tests of the server run as a process of its own; takes the grace in seconds.

Prints `LISTENING port` with what the collector of garbage does then, `STARTED` when a slow request runs,
`DRAINED` and `CLOSED` as they happen; logs to standard error.
"""

import asyncio
import gc
import sys

from starlette.requests import Request
from starlette.responses import Response

from servicekit.collector import rest_collector
from servicekit.endpoint import (
    AppSettings,
    Endpoint,
    QueryParam,
    create_app,
    json_response,
    read_body,
    read_query,
)
from servicekit.logs import LogSettings, configure_logging
from servicekit.server import ServerSettings, run, serve


def tell(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the test reads it


def listening(port: int) -> None:
    tell(f"LISTENING {port} {gc.isenabled()} {gc.get_threshold()[0]} {gc.get_freeze_count()}")


async def quick(_request: Request) -> Response:
    return json_response("quick")


async def slow(request: Request) -> Response:
    tell("STARTED")
    await asyncio.sleep(float(read_query(request)["seconds"]))
    tell("FINISHED")
    return json_response("slow")


async def echo(request: Request) -> Response:
    return json_response(len(await read_body(request)))


def endpoint(method: str, path: str, handler: object, **more: object) -> Endpoint:
    return Endpoint(method, path, handler, access=None, summary="", responses={}, **more)  # type: ignore[arg-type]


async def main() -> int:
    configure_logging(LogSettings(), stream=sys.stderr)
    app = create_app(
        [
            endpoint("GET", "/quick", quick),
            endpoint("GET", "/slow", slow, query=(QueryParam("seconds", ""),)),
            endpoint("POST", "/slow", slow, query=(QueryParam("seconds", ""),)),
            endpoint("POST", "/echo", echo),
        ],
        guard=lambda each: each.handler,
        settings=AppSettings(body_timeout_s=1.0),
    )
    try:
        await serve(
            app,
            ServerSettings(
                port=0, shutdown_grace_s=float(sys.argv[1]), keep_alive_timeout_s=60, max_header_bytes=8192
            ),
            drain=lambda: tell("DRAINED"),
            on_listening=listening,
        )
    finally:
        tell("CLOSED")
    return 0


if __name__ == "__main__":
    rest_collector()
    sys.exit(run(main()))

"""Control port of the simulated database: its journal and its faults. JSON over HTTP, loopback only."""

from aiohttp import web

from erpsim.hana.faults import Fault
from erpsim.hana.server import HanaServer


def create_control(server: HanaServer) -> web.Application:
    """Return the control application.

    ``GET /journal`` returns the journal. ``POST /faults`` adds a fault (fields of `Fault`). ``POST /reset``
    clears both. ``POST /cut`` cuts every connection at once.
    """

    async def journal(_: web.Request) -> web.Response:
        return web.json_response([entry.to_json() for entry in server.trouble.journal])

    async def add_fault(request: web.Request) -> web.Response:
        try:
            fault = Fault.from_json(await request.json())
        except (KeyError, TypeError, ValueError) as error:
            return web.json_response({"error": str(error)}, status=400)
        server.trouble.faults.append(fault)
        return web.Response(status=204)

    async def reset(_: web.Request) -> web.Response:
        server.trouble.reset()
        return web.Response(status=204)

    async def cut(_: web.Request) -> web.Response:
        return web.json_response({"cut": server.cut_all()})

    app = web.Application()
    app.add_routes(
        [
            web.get("/journal", journal),
            web.post("/faults", add_fault),
            web.post("/reset", reset),
            web.post("/cut", cut),
        ]
    )
    return app

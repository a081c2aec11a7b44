"""The control port of a simulator in a process of its own: what was called, scripted faults, reset. JSON.

| request | does |
|---|---|
| `GET /` | says that it runs, how many sessions, faults and calls there are |
| `GET /calls` | the latest calls and the highest numbers in flight; `?method=` and `?path=` choose |
| `DELETE /calls` | forgets them |
| `GET /faults`, `POST /faults`, `DELETE /faults`, `DELETE /faults/3` | lists, adds, removes rules |
| `DELETE /sessions` | ends all sessions |
| `POST /cut-idle-connections` | closes kept-alive connections |
| `POST /query-rights`, `DELETE /query-rights` | give and take a user's right to run a stored query |
| `POST /restart` | ends all sessions and shows user tables, fields and objects that were created since |
| `POST /reset` | seed, no sessions, no faults, no calls |
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

from aiohttp import web

from erpsim.calls import Call, CallLog
from erpsim.fault_json import FaultFormError, fault_from_json, fault_to_json
from erpsim.faults import FaultBook
from erpsim.service_layer.sessions import SessionTable
from erpsim.world import World


class Controlled(Protocol):
    """What a control port acts on."""

    @property
    def calls(self) -> CallLog:
        """The recorded calls."""
        ...

    @property
    def faults(self) -> FaultBook:
        """The rules."""
        ...

    @property
    def sessions(self) -> SessionTable:
        """The open sessions."""
        ...

    @property
    def world(self) -> World:
        """The company."""
        ...

    def cut_idle_connections(self) -> int:
        """Close kept-alive connections."""
        ...

    def restart(self) -> None:
        """End all sessions and show new metadata."""
        ...

    def reset(self) -> None:
        """Go back to the start."""
        ...


class ControlPort:
    """Answers the control port.

    Args:
        simulator: what it acts on.
    """

    def __init__(self, simulator: Controlled) -> None:
        self._simulator = simulator

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request: the handler of the web server."""
        try:
            return await self._answer(request)
        except (FaultFormError, ValueError) as error:
            return web.json_response({"error": str(error)}, status=400)
        except (KeyError, TypeError):
            return web.json_response({"error": 'a body with "user" and "query" is needed'}, status=400)

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        simulator = self._simulator
        address = (request.method, *request.path.strip("/").split("/"))
        command = self._commands().get(address)
        status: int = 204
        value: Any = None
        match address:
            case _ if command is not None:
                command()
            case "GET", "":
                status, value = 200, self._overview()
            case "GET", "calls":
                status, value = 200, self._calls(request)
            case "GET", "faults":
                status, value = 200, [{"number": n, **fault_to_json(f)} for n, f in simulator.faults]
            case "POST", "faults":
                fault = fault_from_json(json.loads(await request.read()))
                status, value = 201, {"number": simulator.faults.add(fault)}
            case "DELETE", "faults", number if number.isdecimal():
                if not simulator.faults.remove(int(number)):
                    status, value = 404, {"error": f"there is no fault {number}"}
            case ("POST" | "DELETE") as method, "query-rights":
                body = json.loads(await request.read())
                user, query = str(body["user"]), str(body["query"])
                simulator.world.grant_query(user, query, granted=method == "POST")
            case "POST", "cut-idle-connections":
                status, value = 200, {"closed": simulator.cut_idle_connections()}
            case _:
                status, value = 404, {"error": f"no {request.method} {request.path}; see erpsim's README"}
        return web.Response(status=status) if value is None else web.json_response(value, status=status)

    def _commands(self) -> dict[tuple[str, ...], Callable[[], None]]:
        """Return what is done and answered with 204 alone, by method and path."""
        simulator = self._simulator
        return {
            ("DELETE", "calls"): simulator.calls.clear,
            ("DELETE", "faults"): simulator.faults.clear,
            ("DELETE", "sessions"): simulator.sessions.end_all,
            ("POST", "restart"): simulator.restart,
            ("POST", "reset"): simulator.reset,
        }

    def _overview(self) -> dict[str, Any]:
        return {
            "running": True,
            "sessions": len(self._simulator.sessions),
            "faults": len(self._simulator.faults),
            "calls": self._simulator.calls.total,
        }

    def _calls(self, request: web.BaseRequest) -> dict[str, Any]:
        calls = self._simulator.calls
        chosen = calls.of(request.query.get("method"), request.query.get("path"))
        return {
            "total": calls.total,
            "in_flight": calls.in_flight,
            "max_in_flight": calls.max_in_flight,
            "max_in_flight_of_a_session": calls.max_in_flight_of_a_session,
            "calls": [_call_to_json(call) for call in chosen],
        }


def _call_to_json(call: Call) -> dict[str, Any]:
    return {
        "number": call.number,
        "method": call.method,
        "root": call.root,
        "path": call.path,
        "query": call.query,
        "headers": dict(call.headers),
        "session": call.session,
        "user": call.user,
        "body": call.body.decode(errors="replace"),
        "in_flight": call.in_flight,
        "started_at": call.started_at.isoformat(),
        "ended_at": call.ended_at.isoformat() if call.ended_at else None,
        "status": call.status,
        "worked": call.worked,
    }

"""Control port of a simulator process: received calls, scripted faults, reset. JSON.

| request | does |
|---|---|
| `GET /` | returns the numbers of sessions, faults and calls |
| `GET /calls` | returns the latest calls and the highest concurrency; filters `?method=` and `?path=` |
| `DELETE /calls` | deletes them |
| `GET /faults`, `POST /faults`, `DELETE /faults`, `DELETE /faults/3` | lists, adds, removes them |
| `DELETE /sessions` | ends all sessions |
| `POST /cut-idle-connections` | closes kept-alive connections |
| `POST /query-rights`, `DELETE /query-rights` | grants or revokes a user's right to run a stored query |
| `POST /restart` | ends all sessions and shows new user tables, fields and objects |
| `POST /reset` | restores the seed; removes sessions, faults and calls |
| `/report-gateway/calls`, `.../faults`, `.../sessions` | the same for the report gateway |
| `GET /report-gateway/log` | returns the reasons of failed exports |
| `/tax-documents/calls`, `.../faults` | the same for the tax-document service |
| `POST /tax-documents/answers` | sets the response for a folio: `{"folio": 1001, "answer": "cut-pdf"}` |
"""

from __future__ import annotations

import json
from typing import Any, Protocol, TypeAlias

from aiohttp import web

from erpsim.faults.calls import Call, CallLog
from erpsim.faults.fault_book import FaultBook
from erpsim.faults.json_form import FaultFormError, fault_from_json, fault_to_json

# Status and JSON value of a response; None for no body.
_Response: TypeAlias = "tuple[int, Any]"


class Sessions(Protocol):
    """The open sessions of a server."""

    def __len__(self) -> int: ...

    def end_all(self) -> None:
        """End every session."""
        ...


class Grants(Protocol):
    """Protocol of a company that grants rights to its users."""

    def grant_query(self, user: str, code: str, *, granted: bool) -> None:
        """Grant or revoke the right to run a stored query."""
        ...


class ControlledServer(Protocol):
    """One simulated server."""

    @property
    def calls(self) -> CallLog:
        """The recorded calls."""
        ...

    @property
    def faults(self) -> FaultBook:
        """The scripted faults."""
        ...

    @property
    def sessions(self) -> Sessions:
        """The open sessions."""
        ...


class AnsweringServer(ControlledServer, Protocol):
    """Server whose responses can be scripted."""

    def answer_with(self, folio: int, kind: str) -> None:
        """Script the response for a folio."""
        ...


class LoggingServer(ControlledServer, Protocol):
    """Server that logs the reasons of its failures."""

    @property
    def log(self) -> list[str]:
        """One line for each failure."""
        ...


class Controlled(ControlledServer, Protocol):
    """Everything a control port controls: the Service Layer, its company, and the other servers."""

    @property
    def world(self) -> Grants:
        """The company."""
        ...

    @property
    def report_gateway(self) -> LoggingServer | None:
        """The report gateway, None without one."""
        ...

    @property
    def tax_documents(self) -> AnsweringServer | None:
        """The tax-document service, None without one."""
        ...

    def cut_idle_connections(self) -> int:
        """Close kept-alive connections."""
        ...

    def restart(self) -> None:
        """End all sessions and show new metadata."""
        ...

    def reset(self) -> None:
        """Go back to the initial state."""
        ...


class ControlPort:
    """HTTP handler of the control port.

    Args:
        simulator: the controlled simulator.
    """

    def __init__(self, simulator: Controlled) -> None:
        self._simulator = simulator

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Handle one request of the web server."""
        try:
            status, value = await self._answer(request) or (404, _unknown(request))
        except (FaultFormError, ValueError) as error:
            status, value = 400, {"error": str(error)}
        except (KeyError, TypeError):
            status, value = (
                400,
                {"error": 'a body with "user" and "query", or "folio" and "answer", is needed'},
            )
        return web.Response(status=status) if value is None else web.json_response(value, status=status)

    async def _answer(self, request: web.BaseRequest) -> _Response | None:
        simulator = self._simulator
        match request.path.strip("/").split("/"):
            case ["report-gateway", *names]:
                return await _of_reports(simulator.report_gateway, request, names or [""])
            case ["tax-documents", *names]:
                return await _of_tax_documents(simulator.tax_documents, request, names or [""])
            case names:
                return await _of_server(simulator, request, names) or await self._of_company(request, names)

    async def _of_company(self, request: web.BaseRequest, names: list[str]) -> _Response | None:
        simulator = self._simulator
        match request.method, *names:
            case "POST", "restart":
                simulator.restart()
                response: _Response | None = (204, None)
            case "POST", "reset":
                simulator.reset()
                response = (204, None)
            case ("POST" | "DELETE") as method, "query-rights":
                body = json.loads(await request.read())
                user, query = str(body["user"]), str(body["query"])
                simulator.world.grant_query(user, query, granted=method == "POST")
                response = (204, None)
            case "POST", "cut-idle-connections":
                response = (200, {"closed": simulator.cut_idle_connections()})
            case _:
                response = None
        return response


async def _of_reports(
    server: LoggingServer | None, request: web.BaseRequest, names: list[str]
) -> _Response | None:
    if server is None:
        return None
    if (request.method, names) == ("GET", ["log"]):
        return 200, server.log
    return await _of_server(server, request, names)


async def _of_tax_documents(
    server: AnsweringServer | None, request: web.BaseRequest, names: list[str]
) -> _Response | None:
    if server is None:
        return None
    if (request.method, names) == ("POST", ["answers"]):
        body = json.loads(await request.read())
        server.answer_with(int(body["folio"]), str(body["answer"]))
        return 204, None
    return await _of_server(server, request, names)


async def _of_server(
    server: ControlledServer, request: web.BaseRequest, names: list[str]
) -> _Response | None:
    """Handle the requests common to all servers; None for any other."""
    response: _Response | None = (204, None)
    match request.method, *names:
        case "GET", "":
            response = (200, _overview(server))
        case "GET", "calls":
            response = (200, _calls(server.calls, request))
        case "DELETE", "calls":
            server.calls.clear()
        case "GET", "faults":
            response = (200, [{"number": n, **fault_to_json(f)} for n, f in server.faults])
        case "POST", "faults":
            fault = fault_from_json(json.loads(await request.read()))
            response = (201, {"number": server.faults.add(fault)})
        case "DELETE", "faults":
            server.faults.clear()
        case "DELETE", "faults", number if number.isdecimal():
            if not server.faults.remove(int(number)):
                response = (404, {"error": f"there is no fault {number}"})
        case "DELETE", "sessions":
            server.sessions.end_all()
        case _:
            response = None
    return response


def _unknown(request: web.BaseRequest) -> dict[str, str]:
    return {"error": f"no {request.method} {request.path}; see erpsim's README"}


def _overview(server: ControlledServer) -> dict[str, Any]:
    return {
        "running": True,
        "sessions": len(server.sessions),
        "faults": len(server.faults),
        "calls": server.calls.total,
    }


def _calls(calls: CallLog, request: web.BaseRequest) -> dict[str, Any]:
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

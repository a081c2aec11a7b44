"""HTTP server of the report gateway: routes requests through faults and session to the response."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import parse_qs

import attrs
from aiohttp import web

from erpsim.business.layout_catalogue import BY_CODE, GENERAL, LAYOUTS
from erpsim.business.layouts import Category
from erpsim.company.clock import Clock
from erpsim.faults import Fault, FaultBook, When
from erpsim.faults.calls import Call, CallLog
from erpsim.faults.script import FaultScript
from erpsim.process.ports import Listening, Ports
from erpsim.report_gateway import replies
from erpsim.report_gateway.entrance import Entrance
from erpsim.report_gateway.parameter_form import parameter_form
from erpsim.report_gateway.printing import Printer
from erpsim.service_layer.sessions import Session, SessionTable
from erpsim.service_layer.web_server.balancer import in_front
from erpsim.service_layer.web_server.cookies import read_cookies
from erpsim.service_layer.web_server.delivery import cut, deliver
from erpsim.service_layer.web_server.request_target import split_target
from erpsim.service_layer.wire.messages import SlReply
from erpsim.world import World

_EXPORT: Final = "rs/v1/ExportPDFData"


@attrs.frozen(kw_only=True)
class SentExport:
    """Parameters of a received export.

    Args:
        code: `DocCode`.
        parameters: the array's objects as sent, with `name`, `type`, `value`; empty for anything else.
        status: of the answer, None when there was none.
    """

    code: str
    parameters: tuple[Any, ...]
    status: int | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters in the order sent."""
        return tuple(str(each["name"]) for each in self.parameters)


class ReportGateway:
    """One simulated report gateway.

    Args:
        world: the company; its switches rule here too.
        clock: source of the time.
        faults: initial faults.

    Attributes:
        world: the company.
        faults: scripted trouble.
        calls: every recorded request.
        sessions: the open sessions.
        log: reasons of failed exports, one line each, like the log of a real gateway.
        url: address without a slash at the end.
    """

    def __init__(self, world: World, clock: Clock, *, faults: Iterable[Fault] = ()) -> None:
        self.world = world
        self.faults = FaultBook()
        for fault in faults:
            self.faults.add(fault)
        self.calls = CallLog(clock)
        self.sessions = SessionTable(clock, lambda: world.switches.report_idle_timeout_s)
        self.log: list[str] = []
        self.url = ""
        self._clock = clock
        self._entrance = Entrance(world, self.sessions, clock)
        self._printer = Printer(world, clock, self.log)

    async def open(
        self, ports: Ports, listening: Listening, port: int, context: ssl.SSLContext | None
    ) -> None:
        """Listen.

        Raises:
            PortTakenError: another program listens there.
        """
        server = web.Server(self.handle, keepalive_timeout=listening.keep_alive_s, access_log=None)
        bound = await ports.open(server, port, context)
        self.url = listening.origin(bound, tls=context is not None)

    @property
    def exports(self) -> list[SentExport]:
        """The received exports, oldest first."""
        return [_sent(call) for call in self.calls.of("POST", _EXPORT)]

    def reset(self) -> None:
        """Restore the initial state: no sessions, no faults, no recorded calls, an empty log."""
        self.sessions.end_all()
        self.faults.clear()
        self.calls.clear()
        self.log.clear()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Handle one request of the web server."""
        path, query = split_target(request.raw_path)
        headers = {name.lower(): value for name, value in request.headers.items()}
        call = self.calls.begin(
            method=request.method, root="", path=path.removeprefix("/"), query=query, headers=headers
        )
        try:
            return await self._converse(request, call)
        finally:
            self.calls.end(call)

    async def _converse(self, request: web.BaseRequest, call: Call) -> web.StreamResponse:
        script = FaultScript.of(self.faults.take(call.method, call.path))
        if script.drop is not None and script.drops(When.BEFORE_READING):
            return cut(request, reset=script.drop.reset)
        if request.headers.get("Expect", "").lower() == "100-continue":
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await request.content.read()
        self.calls.keep_body(call, body)
        if script.delay_s > 0:
            await asyncio.sleep(script.delay_s)
        if script.drop is not None and script.drops(When.BEFORE_WORK):
            return cut(request, reset=script.drop.reset)
        cookies = read_cookies("; ".join(request.headers.getall("Cookie", [])))
        if script.instead is not None:
            reply = in_front(script.instead)
        else:
            reply = await self._answer(call, body, cookies, script)
        if script.after_work is not None:
            reply = in_front(script.after_work)
        call.status = reply.status
        # A recording shows no gzip, though its client would have taken it.
        return await deliver(request, reply, script.delivery, server="erpsim", gzip=False)

    async def _answer(
        self, call: Call, body: bytes, cookies: Mapping[str, str], script: FaultScript
    ) -> SlReply:
        if script.refuse is not None:
            value = {"code": script.refuse.code, "message": {"lang": "en-us", "value": script.refuse.text}}
            return replies.compact_reply(value, script.refuse.status)
        if call.path.startswith("rs/"):
            session = self._entrance.admit(cookies, script.expire)
            if session is None:
                return replies.session_lost(self.world.switches.report_lost_session)
            return await self._serve(call, body, session)
        address = f"/{call.path}"
        match call.method, address:
            case "POST", "/login":
                reply = self._entrance.login(call, body)
            case "POST", "/logout":
                reply = self._entrance.logout(call, body, cookies)
            case "GET", replies.LOGIN_PAGE:
                reply = replies.login_page()
            case _, "/login" | "/logout":
                reply = replies.spring_error(405, address, self._clock.now())
            case _:
                reply = replies.spring_error(404, address, self._clock.now())
        return reply

    async def _serve(self, call: Call, body: bytes, session: Session) -> SlReply:
        self.calls.enter_session(call, session.number, session.user)
        if not self._may_print(session.user):
            # SAP's guide requires the right. The response to a missing one is unknown, so this is assumed.
            return SlReply(status=403)
        call.worked = True
        code = parse_qs(call.query, keep_blank_values=True).get("DocCode", [None])[0]
        match call.method, call.path:
            case "GET", "rs/v1/LoadAuthorizedCRList":
                reply = _authorized_list()
            case ("GET", "rs/v1/LoadCR") | ("POST", "rs/v1/ExportPDFData") if code is None:
                reply = replies.bad_request()
            case "GET", "rs/v1/LoadCR":
                reply = _parameters(str(code))
            case "POST", "rs/v1/ExportPDFData":
                reply = await self._printer.export(str(code), body)
            case _:
                reply = replies.spring_error(404, f"/{call.path}", self._clock.now())
        return reply

    def _may_print(self, user: str) -> bool:
        return self.world.company.is_superuser(user) or user in self.world.switches.report_users


def _authorized_list() -> SlReply:
    """Return the general catalogue; layouts of documents are not in it (seen live)."""
    rows = [
        {"code": each.code, "root_name": each.menu, "name": each.name, "root_guid": each.guid}
        for each in LAYOUTS
        if each.type_code == GENERAL and each.active
    ]
    return replies.json_reply({"result": "Success", "resultSet": rows})


def _parameters(code: str) -> SlReply:
    layout = BY_CODE.get(code)
    if layout is None or layout.category is not Category.CRYSTAL:
        return replies.json_reply({})
    rows = [parameter_form(each) for each in layout.parameters]
    return replies.json_reply({"error": False, "resultSet": rows})


def _sent(call: Call) -> SentExport:
    codes = parse_qs(call.query, keep_blank_values=True).get("DocCode", [""])
    try:
        array = json.loads(call.body)
    except (ValueError, RecursionError):
        array = None
    entries = array if isinstance(array, list) else []
    parameters = tuple(entry for entry in entries if isinstance(entry, dict) and "name" in entry)
    return SentExport(code=codes[0], parameters=parameters, status=call.status)

"""HTTP server of the Service Layer: routes requests through faults and session to the response."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Final
from urllib.parse import unquote

import attrs
from aiohttp import web

from erpsim.company.clock import Clock
from erpsim.company.errors import SlError, already_exists, unknown_set
from erpsim.company.habits import OtherHabit
from erpsim.faults import FaultBook, When
from erpsim.faults.calls import Call, CallLog
from erpsim.faults.script import FaultScript
from erpsim.service_layer.address import has_bad_escape
from erpsim.service_layer.alternatives import (
    alternative_body,
    alternative_refusal,
    alternative_wire,
    check_conditions,
    error_wire,
)
from erpsim.service_layer.batch.running import Batches, WorkerDiedError
from erpsim.service_layer.forms import LARGEST
from erpsim.service_layer.login import Credentials, basic_credentials, login_reply, read_credentials
from erpsim.service_layer.refusals import invalid_session, transaction_failed
from erpsim.service_layer.request_head import RequestHead
from erpsim.service_layer.resources import Resources
from erpsim.service_layer.sessions import Session, SessionTable
from erpsim.service_layer.web_server import balancer
from erpsim.service_layer.web_server.cookies import read_cookies, read_node, route_cookie, session_cookie
from erpsim.service_layer.web_server.delivery import cut, deliver
from erpsim.service_layer.wire.envelopes import empty_reply
from erpsim.service_layer.wire.json_text import render
from erpsim.service_layer.wire.messages import SlReply, SlRequest
from erpsim.service_layer.wire.metadata_document import MetadataDocuments
from erpsim.world import World

_UNAUTHORIZED: Final = 401


@attrs.frozen(kw_only=True)
class _DroppedError(Exception):
    """The connection closes before the work."""

    reset: bool


class ServiceLayer:
    """One simulated Service Layer.

    Args:
        world: the company; its switches rule here too.
        documents: the metadata documents.
        faults: scripted trouble.
        calls: log of every request.
        clock: source of the time.
        keep_alive_s: lifetime of an idle connection, announced in responses.
    """

    def __init__(
        self,
        world: World,
        documents: MetadataDocuments,
        faults: FaultBook,
        calls: CallLog,
        clock: Clock,
        *,
        keep_alive_s: float,
    ) -> None:
        # As recorded on 1000310, where `max` is the same on every answer.
        self._keep_alive_headers = (
            ("Connection", "Keep-Alive"),
            ("Keep-Alive", f"timeout={keep_alive_s:.0f}, max=100"),
        )
        self._world = world
        self._documents = documents
        self._faults = faults
        self._clock = clock
        self._calls = calls
        self._resources = Resources(world, documents)
        self._batches = Batches(world, self._resources)
        self._node_load: Counter[int] = Counter()
        self._roots: dict[int, str] = {}
        self.sessions = SessionTable(clock, lambda: world.switches.idle_timeout_s)
        self.busy: set[asyncio.Transport] = set()
        self.late: set[asyncio.Task[None]] = set()
        self._hurry = asyncio.Event()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Handle one request of the web server."""
        arrival = RequestHead.of(request)
        call = self._calls.begin(
            method=arrival.method,
            root=arrival.wire.root if arrival.wire else "",
            path=arrival.path,
            query=arrival.query,
            headers=arrival.headers,
        )
        transport = request.transport
        if transport is not None:
            self.busy.add(transport)
        try:
            return await self._converse(request, arrival, call)
        finally:
            self._calls.end(call)
            if transport is not None:
                self.busy.discard(transport)

    async def _converse(
        self, request: web.BaseRequest, arrival: RequestHead, call: Call
    ) -> web.StreamResponse:
        script = FaultScript.of(self._faults.take(arrival.method, arrival.path))
        node = self._node(arrival, script)
        if script.drop is not None and script.drops(When.BEFORE_READING):
            return cut(request, reset=script.drop.reset)
        if arrival.headers.get("expect", "").lower() == "100-continue":
            if self._world.switches.expect_fails:
                reply = self._routed(balancer.empty_500(), arrival, script, node)
                call.status = reply.status
                return await deliver(request, reply, None)
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await request.content.read()
        self._calls.keep_body(call, body)
        self._node_load[node] += 1
        try:
            if len(body) > LARGEST:
                reply = balancer.too_large()
            else:
                reply = await self._answer(arrival, body, call, script)
        except _DroppedError as dropped:
            return cut(request, reset=dropped.reset)
        finally:
            self._node_load[node] -= 1
        if script.after_work is not None:
            reply = balancer.in_front(script.after_work)
        reply = self._routed(alternative_body(reply, self._world.switches), arrival, script, node)
        if "Connection" not in dict(reply.headers) and request.keep_alive:
            reply = reply.with_headers(*self._keep_alive_headers)
        call.status = reply.status
        return await deliver(request, reply, script.delivery)

    async def _answer(self, arrival: RequestHead, body: bytes, call: Call, script: FaultScript) -> SlReply:
        """Return the response of the first responsible part: a fault, the web server, the Service Layer."""
        if script.instead is not None:
            await _pause(script.delay_s)
            return balancer.in_front(script.instead)
        switches = self._world.switches
        if arrival.wire is None:
            if balancer.is_ping(arrival.path) and not switches.has(OtherHabit.NO_PING):
                return balancer.ping(arrival.path, self._nodes, self._clock.now())
            return balancer.not_found()
        if has_bad_escape(arrival.path):
            return balancer.bad_request()
        if "%2f" in arrival.path.lower() and not switches.encoded_slash:
            return balancer.not_found()
        path, wire = arrival.path, arrival.wire
        if switches.has(OtherHabit.KEYS_DECODED_TWICE):
            path = path.replace("%25", "%")
        wire = alternative_wire(wire, switches)
        request = SlRequest(
            method=arrival.method,
            path=path,
            query=arrival.query,
            headers=arrival.headers,
            body=body,
            wire=wire,
            origin=arrival.origin,
            if_match=arrival.headers.get("if-match"),
        )
        return await self._serve(request, call, script)

    async def _serve(self, request: SlRequest, call: Call, script: FaultScript) -> SlReply:
        language: int | None = None
        name = unquote(request.path)
        try:
            if request.method == "POST" and name == "Login":
                return await self._login(request, call, script)
            if name == "$metadata" and request.flag("b1s-metadatawithoutsession"):
                # A header of SAP's own WCF samples.
                return self._documents.reply(request.wire)
            # The session is checked before the path, so a misspelt path is a 401 too (seen live).
            if self._world.switches.has(OtherHabit.ADDRESS_FIRST):
                self._check_address(name)
            basic = basic_credentials(request)
            if basic is not None:
                return await self._once(basic, request, call, script)
            session = self._session(request, script)
            language = session.language
            self._calls.enter_session(call, session.number, session.user)
            async with session.turn(self._world.switches.parallel_penalty_s):
                await self._before_work(script)
                if script.commits_after_s is not None:
                    self._work_later(script.commits_after_s, request, name, session)
                    raise _DroppedError(reset=True)
                reply = self._work(request, name, session)
                call.worked = True
                return reply
        except WorkerDiedError:
            return balancer.bad_gateway()
        except SlError as error:
            return self._refusal(error, request, language)

    def _check_address(self, name: str) -> None:
        set_names = (*self._world.facts.entity_sets, *self._world.facts.other_sets)
        if name.isalnum() and name not in set_names and self._world.find_operation(name) is None:
            raise unknown_set()

    async def _before_work(self, script: FaultScript) -> None:
        await _pause(self._world.switches.call_delay_s + script.delay_s)
        if script.drop is not None and script.drops(When.BEFORE_WORK):
            raise _DroppedError(reset=script.drop.reset)
        if script.refuse is not None:
            raise SlError(script.refuse.status, script.refuse.code, script.refuse.text)

    def _work_later(self, seconds: float, request: SlRequest, name: str, session: Session) -> None:
        async def work() -> None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), seconds)
            with suppress(SlError, WorkerDiedError):  # the client has already gone
                self._work(request, name, session)

        task = asyncio.create_task(work())
        self.late.add(task)
        task.add_done_callback(self.late.discard)

    async def commit_late(self) -> None:
        """Do all postponed work now."""
        self._hurry.set()
        while self.late:
            await asyncio.wait(self.late)
        self._hurry.clear()

    async def _login(self, request: SlRequest, call: Call, script: FaultScript) -> SlReply:
        await self._before_work(script)
        switches = self._world.switches
        credentials = read_credentials(request)
        try:
            user = self._world.authenticate(credentials.company, credentials.user, credentials.password)
        except SlError as error:
            if error.status == _UNAUTHORIZED:
                # A wrong password takes longer than a correct one (a user of B1SLayer measured about 10 s).
                await _pause(switches.wrong_login_delay_s)
            raise
        await _pause(switches.login_delay_s)
        session = self.sessions.open(user, credentials.language)
        call.user = user
        call.worked = True
        self._roots[session.number] = request.wire.root
        reply = login_reply(request, session, switches)
        if switches.has(OtherHabit.NO_SESSION_COOKIE):
            return reply
        cookie = session_cookie(session.session_id, secure=switches.secure_cookies)
        return reply.with_headers(("Set-Cookie", cookie))

    async def _once(
        self, credentials: Credentials, request: SlRequest, call: Call, script: FaultScript
    ) -> SlReply:
        """Serve a call that brings its credentials, in a temporary session (assumed)."""
        user = self._world.authenticate(credentials.company, credentials.user, credentials.password)
        session = self.sessions.open(user, None)
        try:
            self._calls.enter_session(call, session.number, session.user)
            await self._before_work(script)
            reply = self._work(request, unquote(request.path), session)
            call.worked = True
            return reply
        finally:
            self.sessions.end(session)

    def _session(self, request: SlRequest, script: FaultScript) -> Session:
        session_id = read_cookies(request.header("cookie")).get("B1SESSION")
        if script.expire is not None:
            if script.expire.everyone:
                self.sessions.end_all()
            else:
                self.sessions.end(self.sessions.use(session_id))
        session = self.sessions.use(session_id)
        one_version = self._world.switches.has(OtherHabit.SESSION_OF_ONE_VERSION)
        if one_version and self._roots.get(session.number) != request.wire.root:
            raise invalid_session()
        return session

    def _work(self, request: SlRequest, name: str, session: Session) -> SlReply:
        if request.method == "POST" and name == "Logout":
            self.sessions.end(session)
            return empty_reply(request.wire)
        switches = self._world.switches
        unrouted = self._node_of_client(request.headers) is None
        if switches.route_required and request.method != "GET" and unrouted:
            # A write without a route on several nodes (a session manager's field notes).
            raise transaction_failed()
        check_conditions(request.query, switches)
        if name == "$batch":
            return self._batches.answer(request, session.user, session.language)
        return self._resources.answer(request, session.user)

    @property
    def _nodes(self) -> int:
        return max(1, self._world.switches.nodes)

    def _node_of_client(self, headers: Mapping[str, str]) -> int | None:
        return read_node(read_cookies(headers.get("cookie")).get("ROUTEID"), self._nodes)

    def _node(self, arrival: RequestHead, script: FaultScript) -> int:
        """Return the node that serves a call: a fault's, the client's, or the least busy one."""
        return (
            script.node
            or self._node_of_client(arrival.headers)
            or min(range(1, self._nodes + 1), key=lambda node: self._node_load[node])
        )

    def _routed(self, reply: SlReply, arrival: RequestHead, script: FaultScript, node: int) -> SlReply:
        """Add the route cookie if the balancer chose a node, also to errors (as in a live capture)."""
        unnamed = script.omit_route or self._world.switches.has(OtherHabit.NO_ROUTE_COOKIE)
        if arrival.wire is None or unnamed:
            return reply
        if script.node is None and self._node_of_client(arrival.headers) is not None:
            return reply
        cookie = route_cookie(node, secure=self._world.switches.secure_cookies)
        return reply.with_headers(("Set-Cookie", cookie))

    def _refusal(self, error: SlError, request: SlRequest, language: int | None) -> SlReply:
        switches = self._world.switches
        wire = error_wire(request, switches)
        error = alternative_refusal(error, switches)
        property_read = (
            request.method == "GET" and "/" in request.path and not request.path.endswith("/$count")
        )
        value = wire.error_value(error, language=language, inner=property_read)
        reply = SlReply(
            status=error.status, headers=(("Content-Type", wire.error_type), wire.version), body=render(value)
        )
        # Both as recorded on 1000310.
        if error.status == _UNAUTHORIZED and error.code == invalid_session().code:
            realm = f"Basic realm={request.wire.root}/{request.path}"
            return reply.with_headers(("WWW-Authenticate", realm))
        closes = error.code == already_exists().code
        return reply.with_headers(("Connection", "close")) if closes else reply


async def _pause(seconds: float) -> None:
    if seconds > 0:
        await asyncio.sleep(seconds)

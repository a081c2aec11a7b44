"""The guard: who gets through to a handler, and what is recorded when somebody does not."""

import asyncio
from datetime import UTC, datetime
from http import HTTPMethod

import attrs
import pytest
from employees import make_user
from starlette.requests import Request
from starlette.responses import Response
from typing_extensions import override

from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web.access import Access, Guard, MenuAccess, actor_of, session_of
from erp_gateway.web.session import SessionExpired, SessionRequired, WebSession
from erpclient import QueueTimeout
from servicekit.endpoint import Endpoint, Handler
from servicekit.endpoint.match import Match, set_match
from servicekit.errors import ServiceError
from servicekit.request_log.facts import RequestFacts, request_facts, set_request_facts

ANA = WebSession(
    user=make_user("Ana"),
    signed_in_at=datetime(2026, 1, 1, tzinfo=UTC),
    token_digest=b"",
)


class OneSession:
    """A session source that knows one token."""

    def authenticate(self, token: str) -> WebSession:
        if token != "good":
            raise SessionExpired
        return ANA

    def find(self, web_user: str) -> WebSession | None:
        return ANA if web_user == ANA.user.name else None


@attrs.define
class Menu:
    """Permissions of one user."""

    routes: frozenset[str] = frozenset()

    def is_admin(self, web_user: str) -> bool:
        return "*" in self.routes and web_user == "Ana"

    def allows(self, web_user: str, route: str) -> bool:
        return self.is_admin(web_user) or (route in self.routes and web_user == "Ana")


@attrs.define
class Ledger:
    """A recorder that keeps what it is given."""

    events: list[AuditEvent] = attrs.field(factory=list)

    async def record(self, event: AuditEvent) -> object:
        self.events.append(event)
        return len(self.events)


def make_request(*authorization: str, method: str = "GET", keys: tuple[str, ...] = ()) -> Request:
    scope = {
        "type": "http",
        "method": method,
        "path": "/",
        "headers": [(b"authorization", value.encode("latin-1")) for value in authorization],
    }
    set_request_facts(scope, RequestFacts("01J", client_ip="10.0.0.9"))
    endpoint = Endpoint("GET", "/api/x", greet, access=Access.SESSION, summary="x", responses={})
    set_match(scope, Match(endpoint, ["api", "x", *keys], {name: 2 + at for at, name in enumerate(keys)}, 1))
    return Request(scope)


async def greet(request: Request) -> Response:
    return Response(session_of(request).user.name)


async def welcome(_: Request) -> Response:
    return Response("everybody")


@attrs.define
class Uses:
    """An observer that keeps what it is told."""

    seen: list[tuple[str, str]] = attrs.field(factory=list)

    def after_use(self, session: WebSession, request_id: str) -> None:
        self.seen.append((session.user.name, request_id))


def guarded(
    access: object, menu: Menu, ledger: Ledger, handler: Handler = greet, uses: Uses | None = None
) -> Handler:
    endpoint = Endpoint("GET", "/api/x", handler, access=access, summary="x", responses={})
    return Guard(OneSession(), menu, ledger, (uses or Uses()).after_use)(endpoint)


MATRIX = [
    (Access.PUBLIC, (), True),
    (Access.SESSION, (), True),
    (Access.PROXY, (), True),
    (Access.SCREEN, (), True),
    (Access.ADMIN, (), False),
    (Access.ADMIN, ("/x",), False),
    (Access.ADMIN, ("*",), True),
    (MenuAccess("/x"), (), False),
    (MenuAccess("/x"), ("/y",), False),
    (MenuAccess("/x"), ("/x",), True),
    (MenuAccess("/x"), ("*",), True),
]


@pytest.mark.asyncio
@pytest.mark.parametrize(("access", "routes", "passes"), MATRIX)
async def test_each_kind_of_access_admits_exactly_its_users(
    access: object, routes: tuple[str, ...], passes: bool
) -> None:
    ledger = Ledger()
    handler = guarded(access, Menu(frozenset(routes)), ledger, welcome)
    if passes:
        assert (await handler(make_request("Bearer good"))).body == b"everybody"
        assert ledger.events == []
        return
    with pytest.raises(PermissionDenied):
        await handler(make_request("Bearer good"))
    assert ledger.events == [
        AuditEvent(
            action=AuditAction.PERMISSION_DENIED,
            result=AuditResult.DENIED,
            actor=Actor(web_user="Ana", ip="10.0.0.9", request_id="01J"),
            resource="/x" if isinstance(access, MenuAccess) else "/api/x",
            detail=AuditDetail(method=HTTPMethod.GET),
            reason="permission_denied",
        )
    ]


@pytest.mark.asyncio
async def test_the_handler_receives_the_user_and_the_log_line_the_name() -> None:
    request = make_request("Bearer good")
    answer = await guarded(Access.SESSION, Menu(), Ledger())(request)
    assert answer.body == b"Ana"
    assert request_facts(request.scope).user == "Ana"
    assert actor_of(request) == Actor(web_user="Ana", ip="10.0.0.9", request_id="01J")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "authorization",
    [
        (),
        ("",),
        ("good",),
        ("Basic good",),
        ("Bearergood",),
        ("Bearer\tgood",),
        ("Bearer good good",),
        ("Bearer, good",),
        ("Bearer good, Bearer good",),
        ("Bearer\xa0good",),
        ("Bearer",),
        ("Bearer ",),
        ("Bearer göod",),
        ("Bearer good", "Bearer good"),
        ("Bearer good", "Basic x"),
        ("Token good, Bearer good",),
    ],
)
async def test_only_one_bearer_header_is_accepted(authorization: tuple[str, ...]) -> None:
    ledger = Ledger()
    with pytest.raises((SessionRequired, SessionExpired)) as caught:
        await guarded(Access.SESSION, Menu(frozenset("*")), ledger)(make_request(*authorization))
    assert caught.value.status == 401
    assert caught.value.headers["WWW-Authenticate"] == "Bearer"
    assert ledger.events == []


@pytest.mark.asyncio
@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "bEaReR ", "Bearer  ", "bearer     "])
async def test_the_scheme_may_have_any_letter_case_and_several_spaces(scheme: str) -> None:
    answer = await guarded(Access.SESSION, Menu(), Ledger())(make_request(f"{scheme}good"))
    assert answer.body == b"Ana"
    with pytest.raises(SessionExpired):
        await guarded(Access.SESSION, Menu(), Ledger())(make_request(f"{scheme}GOOD"))


@pytest.mark.asyncio
async def test_a_public_endpoint_requires_no_session() -> None:
    assert (await guarded(Access.PUBLIC, Menu(), Ledger(), welcome)(make_request())).body == b"everybody"


@pytest.mark.asyncio
async def test_a_denial_by_the_handler_is_recorded_with_its_subject_and_key() -> None:
    async def deny(_: Request) -> Response:
        raise PermissionDenied("Orders", key="12")

    ledger = Ledger()
    with pytest.raises(PermissionDenied):
        await guarded(Access.PROXY, Menu(), ledger, deny)(make_request("Bearer good"))
    assert [(event.resource, event.key) for event in ledger.events] == [("Orders", "12")]


@pytest.mark.asyncio
@pytest.mark.parametrize("method", ["GET", "HEAD", "PATCH", "DELETE"])
async def test_a_denial_records_method_and_references_without_client_text(method: str) -> None:
    async def deny(_: Request) -> Response:
        raise PermissionDenied("Orders", references=("Quotations", "Drafts"))

    ledger = Ledger()
    with pytest.raises(PermissionDenied):
        await guarded(Access.PROXY, Menu(), ledger, deny)(
            make_request("Bearer good", method=method, keys=("Orders",))
        )
    (event,) = ledger.events
    assert (event.resource, event.key) == ("Orders", None)
    assert event.detail_json() == {"method": method, "references": ["Quotations", "Drafts"]}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("keys", "key"),
    [((), None), (("luis",), "luis"), (("lu%C3%ADs", "a%2Fb"), "luís/a/b"), (("%ff",), "%ff")],
)
@pytest.mark.parametrize("access", [Access.ADMIN, MenuAccess("/x")])
async def test_a_denial_by_the_guard_is_recorded_with_the_path_parameters_as_key(
    access: object, keys: tuple[str, ...], key: str | None
) -> None:
    ledger = Ledger()
    with pytest.raises(PermissionDenied):
        await guarded(access, Menu(), ledger)(make_request("Bearer good", keys=keys))
    assert [event.key for event in ledger.events] == [key]


@pytest.mark.asyncio
async def test_errors_of_the_erp_client_are_translated_on_all_endpoints() -> None:
    async def wait(_: Request) -> Response:
        raise QueueTimeout

    for access in (Access.PUBLIC, Access.SESSION):
        with pytest.raises(ServiceError) as caught:
            await guarded(access, Menu(), Ledger(), wait)(make_request("Bearer good"))
        assert caught.value.code == "queue_timeout"


@pytest.mark.parametrize("access", [None, "public", True, "*"])
def test_an_endpoint_without_an_access_kind_is_refused_at_start(access: object) -> None:
    with pytest.raises(TypeError, match="GET /api/x declares no access kind"):
        guarded(access, Menu(), Ledger())


class SlowLedger(Ledger):
    """A recorder whose store takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.committing = asyncio.Event(), asyncio.Event()

    @override
    async def record(self, event: AuditEvent) -> object:
        self.begun.set()
        await self.committing.wait()
        return await super().record(event)


@pytest.mark.asyncio
async def test_a_denial_is_recorded_even_if_its_client_disconnects() -> None:
    ledger = SlowLedger()
    handler = guarded(MenuAccess("/x"), Menu(), ledger)
    asking = asyncio.ensure_future(handler(make_request("Bearer good")))
    await ledger.begun.wait()
    asking.cancel()  # as the server does with a reading request that nobody waits for
    await asyncio.sleep(0)
    ledger.committing.set()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert [event.action for event in ledger.events] == [AuditAction.PERMISSION_DENIED]


@pytest.mark.asyncio
async def test_each_use_of_a_session_is_reported_once_after_the_request() -> None:
    uses = Uses()

    async def look(request: Request) -> Response:
        assert uses.seen == []
        return Response()

    await guarded(Access.SESSION, Menu(), Ledger(), look, uses)(make_request("Bearer good"))
    assert uses.seen == [("Ana", "01J")]
    with pytest.raises(PermissionDenied):
        await guarded(Access.ADMIN, Menu(), Ledger(), greet, uses)(make_request("Bearer good"))
    assert len(uses.seen) == 2
    with pytest.raises(SessionExpired):
        await guarded(Access.SESSION, Menu(), Ledger(), greet, uses)(make_request("Bearer bad"))
    await guarded(Access.PUBLIC, Menu(), Ledger(), welcome, uses)(make_request())
    assert len(uses.seen) == 2

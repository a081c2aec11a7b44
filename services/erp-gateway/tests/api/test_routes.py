"""Every route of the contract with who may call it, as one written table."""

import re
from typing import TYPE_CHECKING

import pytest

from erp_gateway.app import list_endpoints
from erp_gateway.audit.repeats import MINUTE_S
from erp_gateway.web.access import Access, AccessKind, MenuAccess
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

RUN_REPORTS = MenuAccess("/reportes/ejecutar")
RUN_HTML_REPORTS = MenuAccess("/reportes-html/ejecutar")

ROUTES: dict[str, AccessKind] = {
    "GET /api/health": Access.PUBLIC,
    "GET /api/health/erp": Access.PUBLIC,
    "POST /api/auth/login": Access.PUBLIC,
    "GET /api/auth/me": Access.SESSION,
    "POST /api/auth/logout": Access.SESSION,
    "GET /api/user/menu": Access.SESSION,
    "GET /api/sessions": Access.ADMIN,
    "DELETE /api/sessions/{webUser}": Access.ADMIN,
    "DELETE /api/login-blocks/{webUser}": Access.ADMIN,
    "GET /api/permissions": Access.ADMIN,
    "GET /api/permissions/{webUser}": Access.ADMIN,
    "PUT /api/permissions/{webUser}": Access.ADMIN,
    "DELETE /api/permissions/{webUser}": Access.ADMIN,
    "GET /api/menu-routes": Access.ADMIN,
    "GET /api/sl": Access.SESSION,
    "GET /api/sl/{resource}": Access.PROXY,
    "GET /api/sl/{resource}/{key}": Access.PROXY,
    "POST /api/sl/{resource}": Access.PROXY,
    "PATCH /api/sl/{resource}/{key}": Access.PROXY,
    "POST /api/sl/{resource}/{key}/{action}": Access.PROXY,
    "* /api/sl/{resource}": Access.PROXY,
    "* /api/sl/{resource}/{key}": Access.PROXY,
    "* /api/sl/{resource}/{key}/{action}": Access.PROXY,
    "POST /api/change-sets": Access.PROXY,
    "GET /api/writes": Access.SESSION,
    "GET /api/writes/{id}": Access.SESSION,
    "POST /api/writes/{id}/settle": Access.SESSION,
    "GET /api/system": Access.ADMIN,
    "GET /api/audit": Access.ADMIN,
    "GET /api/people": Access.ADMIN,
    "GET /api/history/{resource}/{key}": Access.PROXY,
    "GET /api/sums/{resource}": Access.PROXY,
    "GET /api/fields/{resource}": Access.PROXY,
    "GET /api/partner-accounts/{key}": Access.PROXY,
    "GET /api/home": Access.SESSION,
    "GET /api/flow/{resource}/{key}": Access.PROXY,
    "GET /api/gateway/authorized": Access.ADMIN,
    "GET /api/gateway/authorized/{code}/parameters": Access.ADMIN,
    "GET /api/gateway/registry": Access.ADMIN,
    "PUT /api/gateway/registry/{code}": Access.ADMIN,
    "DELETE /api/gateway/registry/{code}": Access.ADMIN,
    "GET /api/gateway/reports": RUN_REPORTS,
    "POST /api/gateway/reports/{code}/export": RUN_REPORTS,
    "GET /api/gateway/documents": Access.SCREEN,
    "POST /api/gateway/documents/export": Access.SCREEN,
    "GET /api/attachments/{resource}/{key}": Access.PROXY,
    "GET /api/attachments/{resource}/{key}/{number}": Access.PROXY,
    "POST /api/attachments/{resource}/{key}": Access.PROXY,
    "GET /api/jobs": Access.SESSION,
    "GET /api/jobs/{id}": Access.SESSION,
    "GET /api/jobs/{id}/result": Access.SESSION,
    "DELETE /api/jobs/{id}": Access.SESSION,
    "GET /api/erpdb/queries": Access.SESSION,
    "GET /api/erpdb/queries/{name}": Access.SESSION,
    "POST /api/erpdb/queries/{name}": Access.SESSION,
    "POST /api/erpdb/queries/{name}/count": Access.SESSION,
    "GET /api/erpdb/user-fields/{table}/{alias}": Access.SESSION,
    "GET /api/sl-queries": Access.SESSION,
    "GET /api/sl-queries/{name}": Access.SESSION,
    "POST /api/sl-queries/{name}": Access.SESSION,
    "GET /api/html-reports": RUN_HTML_REPORTS,
    "GET /api/html-reports/{code}": RUN_HTML_REPORTS,
    "POST /api/html-reports/{code}/render": RUN_HTML_REPORTS,
    "POST /api/html-reports/{code}/pdf": RUN_HTML_REPORTS,
}
PUBLISHED = {"GET /api/openapi.json": Access.PUBLIC, "GET /api/docs": Access.PUBLIC}
NOT_YET = [name for name in ROUTES if name.split()[1].startswith(("/api/gateway", "/api/erpdb"))]


def split(route: str) -> tuple[str, str]:
    """Return method and an address of the template."""
    method, template = route.split()
    method = "DELETE" if method == "*" else method
    return method, re.sub(r"\{[^}]+\}", "x", template)


def subject(route: str) -> str:
    """Return what the audit says was denied."""
    access = ROUTES[route]
    return access.route if isinstance(access, MenuAccess) else route.split()[1]


@pytest.mark.asyncio
async def test_the_routes_are_exactly_those_of_the_table(gateway: "Gateway") -> None:
    declared = {
        f"{endpoint.method} {endpoint.path}": endpoint.access
        for endpoint in list_endpoints(gateway.components)
    }
    assert declared == ROUTES


@pytest.mark.asyncio
async def test_every_private_route_requires_a_session(gateway: "Gateway") -> None:
    for route, access in (ROUTES | PUBLISHED).items():
        method, path = split(route)
        answer = await gateway.http.request(method, path)
        if access is Access.PUBLIC:
            assert answer.status_code != 401, route
        else:
            assert (answer.status_code, answer.json()["code"]) == (401, "session_required"), route
            assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.asyncio
async def test_a_token_is_accepted_only_in_its_header(gateway: "Gateway") -> None:
    token = (await gateway.signed_in())["Authorization"].removeprefix("Bearer ")
    for query, cookie in (({"token": token, "access_token": token}, ""), ({}, f"token={token}")):
        answer = await gateway.http.get("/api/auth/me", params=query, headers={"Cookie": cookie})
        assert (answer.status_code, answer.json()["code"]) == (401, "session_required"), query


@pytest.mark.asyncio
async def test_no_route_allows_cross_origin_access(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "PATCH"}
    for method, path in (split(route) for route in ROUTES):
        for sent in ("OPTIONS", method):
            answer = await gateway.http.request(sent, path, headers={**ana, **headers})
            assert [name for name in answer.headers if name.startswith("access-control-")] == [], path


@pytest.mark.asyncio
async def test_get_requests_change_nothing_in_the_erp(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    before = len(gateway.sim.calls)
    for method, path in (split(route) for route in ROUTES):
        if method == "GET":
            for address in (path, path.replace("/x", "/Orders", 1).replace("/x", "/1", 1)):
                for sent in ("GET", "HEAD"):
                    await gateway.http.request(sent, address, headers=ana)
    calls = list(gateway.sim.calls)[before:]
    others = {(call.method, call.path) for call in calls if call.method != "GET"}
    reading = {("POST", "CompanyService_GetAdminInfo"), ("POST", "$batch")}
    assert others <= reading, "a service that only reads, and batches of reads"


@pytest.mark.asyncio
async def test_administrator_routes_deny_other_users_and_audit_the_denial(
    gateway: "Gateway", clock: ManualClock
) -> None:
    luis = await gateway.signed_in("luis")
    routes = [
        route for route, access in ROUTES.items() if access is Access.ADMIN or isinstance(access, MenuAccess)
    ]
    for route in routes:
        clock.advance(MINUTE_S)  # beyond 30 in a minute, denials share a record
        method, path = split(route)
        answer = await gateway.http.request(method, path, headers=luis)
        assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied"), route
    ana = await gateway.signed_in()
    denied = "/api/audit?accion=permission_denied&usuario=luis&pageSize=200"
    page = (await gateway.http.get(denied, headers=ana)).json()
    assert {item["result"] for item in page["items"]} == {"denied"}
    assert [(item["detail"]["method"], item["resource"]) for item in reversed(page["items"])] == [
        (route.split()[0], subject(route)) for route in routes
    ]


@pytest.mark.asyncio
async def test_unconfigured_modules_answer_not_configured(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    for route in NOT_YET:
        method, path = split(route)
        body: dict[str, str] | None = None if method == "GET" else {}
        answer = await gateway.http.request(method, path, headers=ana, json=body)
        assert (answer.status_code, answer.json()["code"]) == (503, "not_configured"), route
        assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.asyncio
async def test_unknown_addresses_and_methods_have_the_standard_error_body(gateway: "Gateway") -> None:
    for path in (
        "/",
        "/api",
        "/api/",
        "/api/sl/",
        "/api/sl//",
        "/api/health/",
        "/api/sl/Items/A/Close/x",
    ):
        answer = await gateway.http.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), path
    for method, path, allowed in (
        ("PATCH", "/api/permissions/ana", "GET, HEAD, PUT, DELETE"),
        ("GET", "/api/auth/login", "POST"),
        ("OPTIONS", "/api/health", "GET, HEAD"),
    ):
        answer = await gateway.http.request(method, path)
        assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed"), path
        assert answer.headers["Allow"] == allowed


@pytest.mark.asyncio
async def test_a_resource_lists_its_methods_and_an_unknown_resource_answers_404(
    gateway: "Gateway",
) -> None:
    ana = await gateway.signed_in()
    for method, path, allowed in (
        ("DELETE", "Orders/1", "GET, HEAD, PATCH"),
        ("PUT", "Orders", "GET, HEAD, POST"),
        ("POST", "ChartOfAccounts", "GET, HEAD"),
        ("OPTIONS", "ChartOfAccounts", "GET, HEAD"),
        ("PATCH", "ChartOfAccounts/1", "GET, HEAD"),
        ("BREW", "ChartOfAccounts/1", "GET, HEAD"),
        ("PUT", "CompanyService_GetCompanyInfo", "POST"),
        ("GET", "IncomingPayments/1/Cancel", "POST"),
    ):
        answer = await gateway.http.request(method, f"/api/sl/{path}", headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed"), path
        assert answer.headers["Allow"] == allowed, path
    for path in ("EmployeesInfo", "EmployeesInfo/1", "EmployeesInfo/1/Close"):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"):
            answer = await gateway.http.request(method, f"/api/sl/{path}", headers=ana, json={})
            assert (answer.status_code, answer.json()["code"]) == (404, "resource_not_registered"), path
    answer = await gateway.http.get("/api/sl/Orders/1/Explode", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (404, "action_not_registered")


@pytest.mark.asyncio
async def test_the_api_description_is_served_only_when_enabled(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, DOCS_ENABLED="false") as hidden:
        for path in ("/api/docs", "/api/openapi.json"):
            assert (await hidden.http.get(path)).status_code == 404
    async with open_gateway(sim, DOCS_ENABLED="true") as published:
        document = await published.http.get("/api/openapi.json")
        page = await published.http.get("/api/docs")
        assert document.headers["Content-Type"] == "application/json"
        assert page.headers["Content-Type"].startswith("text/html")
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]

"""Permissions over HTTP: shapes, refusals, and live sessions that change at once."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from structlog.testing import capture_logs

from erpsim.desk import Desk
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator


@pytest.mark.asyncio
async def test_permissions_of_a_user_are_set_listed_and_deleted(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    put = await gateway.http.put(
        "/api/permissions/luis", headers=headers, json={"paths": ["/ventas/*", "/x", "/ventas/*"]}
    )
    luis = {
        "webUser": "luis",
        "paths": ["/ventas/*", "/x"],
        "updatedAt": "2026-03-02T14:05:09.120Z",
        "updatedBy": "ana",
    }
    assert (put.status_code, put.json()) == (200, luis)
    assert (await gateway.http.get("/api/permissions/luis", headers=headers)).json() == luis
    everyone = (await gateway.http.get("/api/permissions", headers=headers)).json()
    assert [item["webUser"] for item in everyone["items"]] == ["ana", "luis"]
    assert everyone["items"][1] == luis

    deleted = await gateway.http.delete("/api/permissions/luis", headers=headers)
    assert (deleted.status_code, deleted.content) == (204, b"")
    for response in (
        await gateway.http.get("/api/permissions/luis", headers=headers),
        await gateway.http.delete("/api/permissions/luis", headers=headers),
    ):
        assert (response.status_code, response.json()["code"]) == (404, "permissions_not_found")


@pytest.mark.asyncio
async def test_permission_changes_affect_live_sessions_at_once(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    luis = await gateway.signed_in("luis")
    menu = "/api/user/menu"
    assert (await gateway.http.get(menu, headers=luis)).json() == {"allowedPaths": []}
    assert (await gateway.http.get("/api/permissions", headers=luis)).status_code == 403

    await gateway.http.put("/api/permissions/luis", headers=headers, json={"paths": ["*"]})
    assert (await gateway.http.get(menu, headers=luis)).json() == {"allowedPaths": ["*"]}
    assert (await gateway.http.get("/api/auth/me", headers=luis)).json()["isAdmin"] is True
    assert (await gateway.http.get("/api/permissions", headers=luis)).status_code == 200

    await gateway.http.delete("/api/permissions/luis", headers=headers)
    assert (await gateway.http.get("/api/permissions", headers=luis)).status_code == 403


async def change(gateway: "Gateway", headers: dict[str, str], user: str, *paths: str) -> int:
    """Replace a user's permissions, or remove them where none are named; return the status."""
    path = f"/api/permissions/{quote(user, safe='')}"
    if paths:
        response = await gateway.http.put(path, headers=headers, json={"paths": paths})
    else:
        response = await gateway.http.delete(path, headers=headers)
    return response.status_code


@pytest.mark.parametrize("other", ["nadie-existe", "ana ", "ana\u200b", "ANA", "pedro", "luis"])
@pytest.mark.asyncio
async def test_an_administrator_without_an_employee_does_not_count_as_remaining(
    gateway: "Gateway", other: str
) -> None:
    ana = await gateway.signed_in()
    assert await change(gateway, ana, other, "*") == 200
    assert await change(gateway, ana, "ana", "/x") == 409
    assert await change(gateway, ana, "ana") == 409
    assert await change(gateway, ana, other) == 204


@pytest.mark.asyncio
async def test_a_configured_administrator_without_an_employee_does_not_count(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, ADMIN_WEB_USERS="ana,nadie-existe") as gateway:
        ana = await gateway.signed_in()
        assert await change(gateway, ana, "ana") == 409


@pytest.mark.asyncio
async def test_an_administrator_counts_after_the_first_sign_in(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    await change(gateway, ana, "luis", "*")
    assert await change(gateway, ana, "ana") == 409
    await gateway.signed_in("luis")
    assert await change(gateway, ana, "ana") == 204


@pytest.mark.asyncio
async def test_an_administrator_counts_once_the_erp_lists_the_employee_as_active(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    for user in ("luis", "pedro"):  # pedro is inactive
        await change(gateway, ana, user, "*")
    calls = len(gateway.sim.calls.of("GET", "EmployeesInfo"))
    await gateway.http.get("/api/people", headers=ana)
    assert len(gateway.sim.calls.of("GET", "EmployeesInfo")) == calls + 1
    assert await change(gateway, ana, "luis") == 204
    assert await change(gateway, ana, "ana") == 409
    await change(gateway, ana, "luis", "*")
    assert await change(gateway, ana, "ana") == 204


@pytest.mark.parametrize(("password", "status"), [("luis-demo", 204), ("wrong", 204)])
@pytest.mark.asyncio
async def test_a_failed_sign_in_updates_whether_the_employee_is_active(
    gateway: "Gateway", password: str, status: int
) -> None:
    ana = await gateway.signed_in()
    await change(gateway, ana, "luis", "*")
    await gateway.log_in("luis", password)
    Desk(gateway.sim.world).change("EmployeesInfo", 2, {"Active": "tNO"})
    await gateway.log_in("luis", "luis-demo")
    assert await change(gateway, ana, "ana") == 409
    Desk(gateway.sim.world).change("EmployeesInfo", 2, {"Active": "tYES"})
    await gateway.log_in("luis", password)
    assert await change(gateway, ana, "ana") == status


@pytest.mark.parametrize("left", [{"Active": "tNO"}, {"U_WEB_USER": "luisa"}])
@pytest.mark.asyncio
async def test_an_administrator_found_inactive_by_the_recheck_does_not_count(
    gateway: "Gateway", clock: ManualClock, left: dict[str, str]
) -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    await change(gateway, ana, "luis", "*")
    Desk(gateway.sim.world).change("EmployeesInfo", 2, left)
    clock.advance(15 * 60)
    await gateway.http.get("/api/auth/me", headers=luis)
    task = gateway.components.recheck._task
    assert task is not None
    await asyncio.wait({task}, timeout=10)
    assert await change(gateway, ana, "ana") == 409


@pytest.mark.asyncio
async def test_of_two_administrators_resigning_at_once_one_remains(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    for user in ("luis", "nadie", "luis "):
        await change(gateway, ana, user, "*")
    answers = await asyncio.gather(change(gateway, ana, "ana", "/x"), change(gateway, luis, "luis", "/x"))
    assert sorted(answers) == [200, 409]


@pytest.mark.parametrize("name", ["cli", "Startup", "erp_gateway:fields", "look\u200bup"])
@pytest.mark.asyncio
async def test_a_reserved_service_name_gets_no_permissions(gateway: "Gateway", name: str) -> None:
    headers = await gateway.signed_in()
    path = f"/api/permissions/{quote(name, safe='')}"
    refused = await gateway.http.put(path, headers=headers, json={"paths": ["*"]})
    assert (refused.status_code, refused.json()["code"]) == (400, "reserved_user")
    everyone = (await gateway.http.get("/api/permissions", headers=headers)).json()
    assert [item["webUser"] for item in everyone["items"]] == ["ana"]


@pytest.mark.asyncio
async def test_the_last_administrator_cannot_be_removed(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    for response in (
        await gateway.http.delete("/api/permissions/ana", headers=headers),
        await gateway.http.put("/api/permissions/ana", headers=headers, json={"paths": ["/x"]}),
    ):
        assert (response.status_code, response.json()["code"]) == (409, "last_administrator")
    assert (await gateway.http.get("/api/permissions/ana", headers=headers)).json()["paths"] == ["*"]


@pytest.mark.asyncio
async def test_invalid_patterns_are_reported_with_their_position(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    response = await gateway.http.put(
        "/api/permissions/luis", headers=headers, json={"paths": ["/ok", "/*", "/x*", "/ok/*", "no"]}
    )
    assert (response.status_code, response.json()["code"]) == (400, "invalid_body")
    assert [problem["path"] for problem in response.json()["errors"]] == ["paths[1]", "paths[2]", "paths[4]"]
    too_many = await gateway.http.put("/api/permissions/luis", headers=headers, json={"paths": ["/x"] * 501})
    assert [problem["path"] for problem in too_many.json()["errors"]] == ["paths"]
    assert (await gateway.http.get("/api/permissions/luis", headers=headers)).status_code == 404


@pytest.mark.asyncio
@pytest.mark.parametrize("body", [{}, {"paths": "*"}, {"paths": [1]}, {"paths": ["/x"], "more": 1}, ["*"]])
async def test_a_permissions_body_with_a_wrong_shape_is_refused(gateway: "Gateway", body: object) -> None:
    headers = await gateway.signed_in()
    response = await gateway.http.put("/api/permissions/luis", headers=headers, json=body)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_body")


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["a/b", "ñandú", "100%", "a b", "a?b#c", "it's", "+"])
async def test_any_erp_user_name_can_receive_permissions(gateway: "Gateway", name: str) -> None:
    headers = await gateway.signed_in()
    address = "/api/permissions/" + quote(name, safe="")
    put = await gateway.http.put(address, headers=headers, json={"paths": ["/x"]})
    assert (put.status_code, put.json()["webUser"]) == (200, name)
    assert (await gateway.http.get(address, headers=headers)).json()["webUser"] == name


@pytest.mark.asyncio
@pytest.mark.parametrize("segment", ["%20", "%00", "%0a", "%ff", "x" * 255])
async def test_an_invalid_user_name_in_the_address_is_refused(gateway: "Gateway", segment: str) -> None:
    headers = await gateway.signed_in()
    response = await gateway.http.get(f"/api/permissions/{segment}", headers=headers)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_path")


@pytest.mark.asyncio
async def test_changes_and_denials_are_in_the_audit(gateway: "Gateway") -> None:
    headers, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    await gateway.http.put(
        "/api/permissions/luis", headers={**headers, "X-Request-ID": "req-1"}, json={"paths": ["/secret"]}
    )
    await gateway.http.get("/api/permissions", headers={**luis, "X-Request-ID": "req-2"})
    await gateway.http.delete("/api/permissions/ana", headers={**headers, "X-Request-ID": "req-3"})
    items = (await gateway.http.get("/api/audit", headers=headers)).json()["items"]
    observed = [
        (item["requestId"], item["webUser"], item["action"], item["key"], item["result"], item["reason"])
        for item in items[:3]
    ]
    assert observed == [
        ("req-3", "ana", "permissions_remove", "ana", "denied", "last_administrator"),
        ("req-2", "luis", "permission_denied", None, "denied", "permission_denied"),
        ("req-1", "ana", "permissions_replace", "luis", "ok", None),
    ]
    assert items[2]["detail"] == {"added": ["/secret"]}


@contextmanager
def other_connection(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the store as another process would."""
    other = sqlite3.connect(path, isolation_level=None)
    try:
        yield other
    finally:
        other.close()


@pytest.mark.asyncio
async def test_a_permission_change_succeeds_and_its_audit_record_follows_later(
    gateway: "Gateway", store_path: Path
) -> None:
    ana = await gateway.signed_in()
    with other_connection(store_path) as other, capture_logs() as logs:
        other.execute("ALTER TABLE audit_log RENAME TO out_of_reach")
        answer = await gateway.http.put("/api/permissions/luis", headers=ana, json={"paths": ["/x"]})
        assert answer.status_code == 200
        shown = await gateway.http.get("/api/permissions/luis", headers=ana)
        assert shown.json()["paths"] == ["/x"]
        (failed,) = [line for line in logs if line["event"] == "audit_write_failed"]
        assert (failed["action"], failed["key"]) == ("permissions_replace", "luis")
        other.execute("ALTER TABLE out_of_reach RENAME TO audit_log")
    async with asyncio.timeout(60):
        while gateway.components.recorder.pending:  # noqa: ASYNC110 - it is the interval that is waited for
            await asyncio.sleep(0.01)
    page = await gateway.http.get("/api/audit?accion=permissions_replace&usuario=ana", headers=ana)
    (item,) = page.json()["items"]
    assert (item["key"], item["result"]) == ("luis", "ok")


@pytest.mark.asyncio
async def test_a_locked_store_refuses_changes_within_three_seconds(
    gateway: "Gateway", store_path: Path
) -> None:
    """The first change waits for itself and its record, the second for the first one, too."""
    ana = await gateway.signed_in()
    loop = asyncio.get_running_loop()

    async def change(user: str) -> float:
        started = loop.time()
        answer = await gateway.http.put(f"/api/permissions/{user}", headers=ana, json={"paths": ["/x"]})
        assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
        return loop.time() - started

    with other_connection(store_path) as other:
        other.execute("BEGIN IMMEDIATE")
        first = asyncio.create_task(change("luis"))
        await asyncio.sleep(0.1)
        took = (await change("carmen"), await first)
        other.execute("ROLLBACK")
    assert max(took) < 5, took
    answer = await gateway.http.put("/api/permissions/luis", headers=ana, json={"paths": ["/x"]})
    assert answer.status_code == 200


@pytest.mark.asyncio
async def test_menu_routes_are_listed_with_the_features_that_require_them(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    calls_before = gateway.sim.calls.total
    response = await gateway.http.get("/api/menu-routes", headers=ana)
    by_title = {each.pop("title"): each for each in response.json()["items"]}
    assert list(by_title) == sorted(by_title)
    orders = {"kind": "resource", "read": "/ventas/pedidos", "write": "/ventas/pedidos/editar"}
    assert by_title["Pedidos de venta"] == {**orders, "resource": "Orders", "needs": ["/socios"]}
    items = {"kind": "resource", "read": None, "write": "/inventario/articulos/editar"}
    assert by_title["Artículos"] == {**items, "resource": "Items", "needs": []}
    assert by_title["Socios de negocios"]["needs"] == []
    reports = {"kind": "reports", "read": "/reportes-html/ejecutar", "write": None}
    assert by_title["Informes"] == {**reports, "resource": None, "needs": []}
    assert response.json()["roles"] == []
    assert "Monedas" not in by_title  # any session reads them, nobody writes them
    assert "Informes del ERP" not in by_title  # there is no report gateway
    assert gateway.sim.calls.total == calls_before

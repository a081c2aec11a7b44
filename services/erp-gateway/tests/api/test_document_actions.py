"""Closing, cancelling and reopening documents, and cancelling posted ones by another document."""

from typing import TYPE_CHECKING, Any

import pytest

from erpsim.company.switches import Switches
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

CANCEL_BY_DOCUMENT = "CreateCancellationDocument"
LINE = {"ItemCode": "A/1", "Quantity": 2, "UnitPrice": 1000}


async def create(gateway: "Gateway", resource: str, line: dict[str, Any] | None = None) -> dict[str, Any]:
    """Create a document of one line as the administrator."""
    ana = await gateway.signed_in()
    body = {"CardCode": "C00001", "DocDueDate": "2026-12-31", "DocumentLines": [line or LINE]}
    created = await gateway.http.post(f"/api/sl/{resource}", json=body, headers=ana)
    assert created.status_code == 201, created.text
    document: dict[str, Any] = created.json()
    return document


def drawn_from(document: dict[str, Any], object_type: int, quantity: int = 2) -> dict[str, Any]:
    return {
        "BaseType": object_type,
        "BaseEntry": document["DocEntry"],
        "BaseLine": 0,
        "Quantity": quantity,
    }


async def read(gateway: "Gateway", resource: str, entry: int, headers: dict[str, str]) -> dict[str, Any]:
    answer = await gateway.http.get(f"/api/sl/{resource}/{entry}", headers=headers)
    document: dict[str, Any] = answer.json()
    return document


@pytest.mark.asyncio
async def test_an_order_is_closed_reopened_and_cancelled(gateway: "Gateway") -> None:
    entry = (await create(gateway, "Orders"))["DocEntry"]
    ana = await gateway.signed_in()
    for action, status, cancelled in [
        ("Close", "bost_Close", "tNO"),
        ("Reopen", "bost_Open", "tNO"),
        ("Cancel", "bost_Close", "tYES"),
    ]:
        done = await gateway.http.post(f"/api/sl/Orders/{entry}/{action}", headers=ana)
        assert (done.status_code, done.content) == (204, b""), (action, done.text)
        order = await read(gateway, "Orders", entry, ana)
        assert (order["DocumentStatus"], order["Cancelled"]) == (status, cancelled)
    for action in ("Close", "Cancel", "Reopen"):
        refused = await gateway.http.post(f"/api/sl/Orders/{entry}/{action}", headers=ana)
        problem = refused.json()
        assert (refused.status_code, problem["code"]) == (400, "upstream_rejected")
        assert problem["upstream"]["code"] == -5006
    audited = await gateway.http.get("/api/audit?accion=sl_action", headers=ana)
    assert [(each["fields"], each["result"]) for each in audited.json()["items"]] == [
        (["Reopen()"], "error"),
        (["Cancel()"], "error"),
        (["Close()"], "error"),
        (["Cancel()"], "ok"),
        (["Reopen()"], "ok"),
        (["Close()"], "ok"),
    ]


@pytest.mark.asyncio
async def test_a_delivery_is_cancelled_by_a_new_document(gateway: "Gateway", sim: "Simulator") -> None:
    order = await create(gateway, "Orders")
    delivery = await create(gateway, "DeliveryNotes", drawn_from(order, 17))
    entry = delivery["DocEntry"]
    ana = await gateway.signed_in()
    assert (await read(gateway, "Orders", order["DocEntry"], ana))["DocumentStatus"] == "bost_Close"
    headers = {**ana, "Idempotency-Key": "cancel-1", "If-Match": delivery["odata.etag"]}
    path = f"/api/sl/DeliveryNotes/{entry}/{CANCEL_BY_DOCUMENT}"
    done = await gateway.http.post(path, headers=headers)
    assert done.status_code == 200, done.text
    new = done.json()
    assert new["CancelStatus"] == "csCancellation"
    assert new["DocEntry"] != entry
    assert done.headers["Location"] == f"/api/sl/DeliveryNotes/{new['DocEntry']}"
    cancelled = await read(gateway, "DeliveryNotes", entry, ana)
    assert (cancelled["CancelStatus"], cancelled["Cancelled"]) == ("csYes", "tYES")
    base = await read(gateway, "Orders", order["DocEntry"], ana)
    assert (base["DocumentStatus"], base["DocumentLines"][0]["RemainingOpenQuantity"]) == ("bost_Open", 2)

    before = len(sim.calls)
    again = await gateway.http.post(path, headers=headers)
    assert (again.status_code, again.json()) == (200, new)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers["Location"] == done.headers["Location"]
    assert len(sim.calls) == before
    (record,) = (await gateway.http.get("/api/audit?accion=sl_action", headers=ana)).json()["items"]
    assert (record["resource"], record["key"], record["fields"]) == (
        "DeliveryNotes",
        str(entry),
        [f"{CANCEL_BY_DOCUMENT}()"],
    )


@pytest.mark.asyncio
async def test_a_cancellation_may_wait_for_approval(open_gateway: "OpenGateway") -> None:
    switches = Switches(approval_procedure=frozenset({"DeliveryNotes"}))
    async with run_sim() as sim, open_gateway(sim, ERP_SL_USER="bodega") as gateway:
        order = await create(gateway, "Orders")
        delivery = await create(gateway, "DeliveryNotes", drawn_from(order, 17))
        sim.world.switches = switches
        ana = await gateway.signed_in()
        headers = {**ana, "Idempotency-Key": "cancel-2"}
        path = f"/api/sl/DeliveryNotes/{delivery['DocEntry']}/{CANCEL_BY_DOCUMENT}"
        refused = await gateway.http.post(path, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (400, "maybe_in_approval"), refused.text
        before = len(sim.calls)
        again = await gateway.http.post(path, headers=headers)
        assert (again.json()["code"], len(sim.calls)) == ("maybe_in_approval", before)
        drafts = await gateway.http.get("/api/sl/Drafts?$select=DocEntry", headers=ana)
        assert len(drafts.json()["value"]) == 1
        close = await gateway.http.post(f"/api/sl/DeliveryNotes/{delivery['DocEntry']}/Close", headers=ana)
        assert close.status_code == 204


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("resource", "action"),
    [
        ("Orders", CANCEL_BY_DOCUMENT),
        ("Quotations", CANCEL_BY_DOCUMENT),
        ("Drafts", "Close"),
        ("DeliveryNotes", "Cancel"),
        ("Invoices", "Close"),
        ("InventoryGenExits", "Cancel"),
        ("Orders", "close"),
        ("Orders", "SaveDraftToDocument"),
        ("Items", "Cancel"),
    ],
)
async def test_undeclared_actions_reach_no_erp(
    gateway: "Gateway", sim: "Simulator", resource: str, action: str
) -> None:
    ana = await gateway.signed_in()
    before = len(sim.calls)
    answer = await gateway.http.post(f"/api/sl/{resource}/1/{action}", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (404, "action_not_registered")
    assert len(sim.calls) == before


@pytest.mark.asyncio
async def test_an_action_needs_the_right_to_write(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/pedidos"]}, headers=ana)
    luis = await gateway.signed_in("luis")
    before = len(sim.calls)
    answer = await gateway.http.post("/api/sl/Orders/1/Close", headers=luis)
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert len(sim.calls) == before
    offered = (await gateway.http.get("/api/sl", headers=luis)).json()["items"]
    assert {each["name"]: each["actions"] for each in offered}["Orders"] == []


@pytest.mark.asyncio
async def test_the_body_of_an_action_names_readable_records_only(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/pedidos/*"]}, headers=ana)
    luis = await gateway.signed_in("luis")
    body = {"Document": {"DocumentLines": [{"BaseType": 22, "BaseEntry": 1}]}}
    answer = await gateway.http.post("/api/sl/Orders/1/Close", json=body, headers=luis)
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")

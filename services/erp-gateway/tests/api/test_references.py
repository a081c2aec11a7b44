"""Records that a body names: writing them into another record needs the right to read them."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.api.conftest import Gateway

QUOTATION = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 3, "UnitPrice": 1234.5}],
}


async def grant(gateway: "Gateway", *paths: str, user: str = "luis") -> dict[str, str]:
    """Give a user exactly these permissions and sign them in."""
    ana = await gateway.signed_in()
    await gateway.http.put(f"/api/permissions/{user}", headers=ana, json={"paths": list(paths)})
    return await gateway.signed_in(user)


async def new_quotation(gateway: "Gateway") -> int:
    ana = await gateway.signed_in()
    made = await gateway.http.post("/api/sl/Quotations", json=QUOTATION, headers=ana)
    assert made.status_code == 201, made.text
    return int(made.json()["DocEntry"])


def drawn_from(line: dict[str, Any]) -> dict[str, Any]:
    return {"CardCode": "C00001", "DocDueDate": "2026-12-31", "DocumentLines": [line]}


@pytest.mark.asyncio
async def test_copying_a_document_requires_the_right_to_read_it(gateway: "Gateway") -> None:
    entry = await new_quotation(gateway)
    luis = await grant(gateway, "/ventas/pedidos/*")
    body = drawn_from({"BaseType": 23, "BaseEntry": entry, "BaseLine": 0})
    gateway.sim.calls.clear()
    answer = await gateway.http.post("/api/sl/Orders", json=body, headers=luis)
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert len(gateway.sim.calls) == 0

    luis = await grant(gateway, "/ventas/pedidos/*", "/ventas/ofertas")
    made = await gateway.http.post("/api/sl/Orders", json=body, headers=luis)
    assert made.status_code == 201, made.text
    assert made.json()["DocumentLines"][0]["UnitPrice"] == 1234.5


@pytest.mark.asyncio
async def test_another_records_files_cannot_be_attached(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    added = await gateway.http.post(
        "/api/attachments/PurchaseOrders/1", headers=ana, files=[("files", ("secreto.pdf", b"%PDF secreto"))]
    )
    assert added.status_code == 204, added.text
    luis = await grant(gateway, "/ventas/pedidos/*")
    answer = await gateway.http.patch("/api/sl/Orders/1", json={"AttachmentEntry": 1}, headers=luis)
    stolen = await gateway.http.get("/api/attachments/Orders/1/1", headers=luis)
    assert (answer.status_code, answer.json()["code"]) == (400, "field_not_writable")
    assert (stolen.status_code, b"secreto" in stolen.content) == (404, False)


@pytest.mark.asyncio
async def test_every_write_route_checks_the_references_in_its_body(gateway: "Gateway") -> None:
    luis = await grant(gateway, "/ventas/pedidos/*", "/bancos/cobros/*", "/borradores/*")
    row = {"BaseType": "22", "baseentry": 1, "BaseLine": 0}
    gateway.sim.calls.clear()
    for method, path, body in [
        ("POST", "/api/sl/Orders", drawn_from(row)),
        ("POST", "/api/sl/Drafts", {**drawn_from(row), "DocObjectCode": "17"}),
        ("PATCH", "/api/sl/Orders/1", {"DocumentLines": [{"LineNum": 0, **row}]}),
        ("POST", "/api/sl/IncomingPayments/1/Cancel", {"Payment": {"PaymentLines": [row]}}),
    ]:
        answer = await gateway.http.request(method, path, json=body, headers=luis)
        assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied"), path
        refused = await gateway.http.request(
            method, path, json={"A": [{"attachmententry": None}]}, headers=luis
        )
        assert (refused.status_code, refused.json()["code"]) == (400, "field_not_writable"), path
        assert [each["path"] for each in refused.json()["errors"]] == ["A[].attachmententry"]
    assert len(gateway.sim.calls) == 0


@pytest.mark.asyncio
async def test_a_denial_records_the_registered_resources_that_the_body_names(gateway: "Gateway") -> None:
    luis = await grant(gateway, "/ventas/pedidos/*")
    rows = [
        {"BaseType": 23, "BaseEntry": 1},
        {"BaseType": 22, "BaseEntry": 1},
        {"BaseType": 202, "BaseEntry": 1},
        {"BaseEntry": 7},
    ]
    await gateway.http.patch("/api/sl/Orders/1", json={"DocumentLines": rows}, headers=luis)
    ana = await gateway.signed_in()
    page = await gateway.http.get("/api/audit?accion=permission_denied", headers=ana)
    (record,) = page.json()["items"]
    assert (record["resource"], record["key"], record["webUser"]) == ("Orders", "1", "luis")
    assert record["detail"]["references"] == ["PurchaseOrders", "Quotations"]


@pytest.mark.asyncio
async def test_references_reserved_to_administrators_are_denied_to_others(gateway: "Gateway") -> None:
    luis = await grant(gateway, "/ventas/*", "/compras/*", "/borradores")
    unreadable = {"DocumentLines": [{"LineNum": 0, "BaseType": 202, "BaseEntry": 1}]}
    denied = await gateway.http.patch("/api/sl/Orders/1", json=unreadable, headers=luis)
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
    ana = await gateway.signed_in()
    response = await gateway.http.patch("/api/sl/Orders/1", json=unreadable, headers=ana)
    assert response.json()["code"] == "upstream_rejected"


@pytest.mark.asyncio
async def test_an_unchanged_reference_requires_the_right_and_an_empty_one_does_not(
    gateway: "Gateway",
) -> None:
    entry = await new_quotation(gateway)
    ana = await gateway.signed_in()
    body = drawn_from({"BaseType": 23, "BaseEntry": entry, "BaseLine": 0})
    made = (await gateway.http.post("/api/sl/Orders", json=body, headers=ana)).json()
    luis = await grant(gateway, "/ventas/pedidos/*")
    where, row = f"/api/sl/Orders/{made['DocEntry']}", made["DocumentLines"][0]
    read = {name: row[name] for name in ("LineNum", "BaseType", "BaseEntry", "BaseLine")}
    denied = await gateway.http.patch(where, json={"DocumentLines": [read]}, headers=luis)
    assert denied.json()["code"] == "permission_denied"
    for lines in (
        [{"LineNum": 0, "FreeText": "x", "DocEntry": made["DocEntry"], "UoMEntry": -1}],
        [{"LineNum": 0, "BaseType": -1, "BaseEntry": None}],
    ):
        answer = await gateway.http.patch(where, json={"DocumentLines": lines}, headers=luis)
        assert answer.status_code != 403, answer.text


@pytest.mark.asyncio
async def test_a_payment_requires_the_right_to_read_its_invoices(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    invoices = await gateway.http.get(
        "/api/sl/Invoices?$top=1&$filter=DocumentStatus eq 'bost_Open'", headers=ana
    )
    (invoice,) = invoices.json()["value"]
    payment = {
        "CardCode": invoice["CardCode"],
        "CashSum": 1,
        "PaymentInvoices": [{"DocEntry": invoice["DocEntry"], "InvoiceType": "it_Invoice", "SumApplied": 1}],
    }
    luis = await grant(gateway, "/bancos/cobros/*")
    denied = await gateway.http.post("/api/sl/IncomingPayments", json=payment, headers=luis)
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
    luis = await grant(gateway, "/bancos/cobros/*", "/ventas/facturas")
    made = await gateway.http.post("/api/sl/IncomingPayments", json=payment, headers=luis)
    assert made.status_code == 201, made.text

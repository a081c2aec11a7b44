"""`GET /api/flow`: what a document was made from, and what was made from it."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from erp_gateway.records.documents.refused_reads import REMEMBERED_S
from erpsim.company.switches import Switches
from erpsim.facts import load_packaged_facts
from erpsim.faults import Fault, Refuse
from erpsim.hana.process import PASSWORD, USER
from erpsim.simulator import run_sim
from erpsim.sql import load_into_sqlite
from erpsim.world import World
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

NAME = "customer_of_the_flow"
MODULE = """
import attrs
from erp_gateway.extensions import *

(DELIVERIES,) = (each for each in SHIPPED.resources if each.name == "DeliveryNotes")
COLUMNS = tuple(column for column in DELIVERIES.columns if column.name != "DocTotal")
HIDING = attrs.evolve(DELIVERIES, secret_fields=frozenset({"doctotal"}), columns=COLUMNS)
EXTENSION = Extension(replaces=Declarations(resources=(HIDING,)))
"""
TRACES = ("/api/writes", "/api/audit")
LINE = {"ItemCode": "A/1", "Quantity": 4, "UnitPrice": 1000}
OBJECT_TYPES = {"Quotations": 23, "Orders": 17, "DeliveryNotes": 15, "Invoices": 13}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    (tmp_path / f"{NAME}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {"EXTENSIONS": NAME}
    sys.modules.pop(NAME, None)


async def post(gateway: "Gateway", resource: str, body: dict[str, Any]) -> int:
    ana = await gateway.signed_in()
    made = await gateway.http.post(f"/api/sl/{resource}", json=body, headers=ana)
    assert made.status_code == 201, made.text
    return int(made.json()["DocEntry"])


async def create(gateway: "Gateway", resource: str, *lines: dict[str, Any]) -> int:
    body = {"CardCode": "C00001", "DocDueDate": "2026-12-31", "DocumentLines": list(lines or (LINE,))}
    return await post(gateway, resource, body)


def drawn_from(resource: str, entry: int, quantity: int = 4) -> dict[str, Any]:
    return {
        "BaseType": OBJECT_TYPES[resource],
        "BaseEntry": entry,
        "BaseLine": 0,
        "Quantity": quantity,
    }


async def flow(
    gateway: "Gateway", resource: str, entry: int, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    answer = await gateway.http.get(
        f"/api/flow/{resource}/{entry}", headers=headers or await gateway.signed_in()
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def named(side: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(each["resource"], each["key"], each["state"]) for each in side["documents"]]


def counted(sim: "Simulator") -> list[str]:
    return [
        call.path.partition("(")[0]
        for call in sim.calls
        if call.path not in ("Login", "Logout", "EmployeesInfo")
    ]


@pytest_asyncio.fixture
async def chain(gateway: "Gateway") -> dict[str, int]:
    """An offer, its order, a part of it delivered and invoiced, the invoice partly paid."""
    offer = await create(gateway, "Quotations")
    order = await create(gateway, "Orders", drawn_from("Quotations", offer))
    delivery = await create(gateway, "DeliveryNotes", drawn_from("Orders", order, 3))
    invoice = await create(gateway, "Invoices", drawn_from("DeliveryNotes", delivery, 2))
    paid = [{"DocEntry": invoice, "InvoiceType": "it_Invoice", "SumApplied": 500}]
    payment = await post(
        gateway, "IncomingPayments", {"CardCode": "C00001", "CashSum": 500, "PaymentInvoices": paid}
    )
    return {
        "Quotations": offer,
        "Orders": order,
        "DeliveryNotes": delivery,
        "Invoices": invoice,
        "IncomingPayments": payment,
    }


@pytest.mark.asyncio
async def test_an_order_shows_its_offer_and_its_delivery(
    gateway: "Gateway", sim: "Simulator", chain: dict[str, int]
) -> None:
    sim.calls.clear()
    found = await flow(gateway, "Orders", chain["Orders"])
    assert counted(sim) == ["Orders", "$batch"]
    order = found["document"]
    assert (order["resource"], order["singular"], order["state"]) == ("Orders", "Pedido de venta", "open")
    assert order["path"] == f"/api/sl/Orders/{chain['Orders']}"
    assert named(found["base"]) == [("Quotations", str(chain["Quotations"]), "closed")]
    assert named(found["following"]) == [("DeliveryNotes", str(chain["DeliveryNotes"]), "open")]
    for side in ("base", "following"):
        assert (found[side]["hasHidden"], found[side]["isComplete"]) == (False, True)
    (delivery,) = found["following"]["documents"]
    ana = await gateway.signed_in()
    record = (await gateway.http.get(f"/api/sl/DeliveryNotes/{chain['DeliveryNotes']}", headers=ana)).json()
    assert (delivery["number"], delivery["total"]) == (record["DocNum"], record["DocTotal"])
    assert (delivery["currency"], delivery["date"]) == (record["DocCurrency"], record["DocDate"][:10])
    assert (delivery["open"], delivery["applied"]) == (None, None)


@pytest.mark.asyncio
async def test_an_invoice_shows_its_delivery_payment_and_open_amount(
    gateway: "Gateway", sim: "Simulator", chain: dict[str, int]
) -> None:
    sim.calls.clear()
    found = await flow(gateway, "Invoices", chain["Invoices"])
    assert counted(sim) == ["Invoices", "$batch"]
    invoice = found["document"]
    assert invoice["open"] == invoice["total"] - 500
    assert named(found["base"]) == [("DeliveryNotes", str(chain["DeliveryNotes"]), "open")]
    (payment,) = found["following"]["documents"]
    assert (payment["resource"], payment["key"]) == ("IncomingPayments", str(chain["IncomingPayments"]))
    assert (payment["total"], payment["applied"], payment["currency"]) == (500, 500, None)


@pytest.mark.asyncio
async def test_a_payment_shows_the_invoices_that_it_pays(
    gateway: "Gateway", sim: "Simulator", chain: dict[str, int]
) -> None:
    sim.calls.clear()
    found = await flow(gateway, "IncomingPayments", chain["IncomingPayments"])
    assert len(counted(sim)) == 2
    (invoice,) = found["base"]["documents"]
    assert (invoice["resource"], invoice["key"]) == ("Invoices", str(chain["Invoices"]))
    assert (invoice["applied"], invoice["open"]) == (500, invoice["total"] - 500)
    assert found["following"]["documents"] == []


@pytest.mark.asyncio
async def test_answers_are_the_same_over_both_versions_of_the_service(open_gateway: "OpenGateway") -> None:
    paths = ("/api/flow/Orders/1", "/api/flow/Invoices/1", "/api/flow/IncomingPayments/1", "/api/home")
    answers: list[list[dict[str, Any]]] = []
    async with run_sim() as sim:
        for url in (sim.url, sim.url_v2):
            async with open_gateway(sim, url=url) as gateway:
                ana = await gateway.signed_in()
                found = [
                    (await gateway.http.get(path, headers=ana)).json()
                    for path in (*paths, "/api/partner-accounts/C00001")
                ]
                answers.append(found)
    assert answers[0] == answers[1]
    assert all(card["state"] == "read" for card in answers[0][3]["cards"])
    assert answers[0][4]["documents"]


@pytest.mark.asyncio
async def test_cancelled_documents_show_what_cancels_them(gateway: "Gateway") -> None:
    order = await create(gateway, "Orders")
    delivery = await create(gateway, "DeliveryNotes", drawn_from("Orders", order))
    ana = await gateway.signed_in()
    path = f"/api/sl/DeliveryNotes/{delivery}/CreateCancellationDocument"
    cancellation = (await gateway.http.post(path, headers=ana)).json()["DocEntry"]
    found = await flow(gateway, "DeliveryNotes", delivery)
    assert found["document"]["state"] == "cancelled"
    assert named(found["following"]) == [("DeliveryNotes", str(cancellation), "cancellation")]
    back = await flow(gateway, "DeliveryNotes", cancellation)
    assert named(back["base"]) == [("DeliveryNotes", str(delivery), "cancelled")]
    of_order = await flow(gateway, "Orders", order)
    assert ("DeliveryNotes", str(delivery), "cancelled") in named(of_order["following"])


@pytest.mark.asyncio
async def test_a_document_alone_has_a_complete_empty_flow(gateway: "Gateway", sim: "Simulator") -> None:
    offer = await create(gateway, "Quotations")
    sim.calls.clear()
    found = await flow(gateway, "Quotations", offer)
    empty = {"documents": [], "hasHidden": False, "isComplete": True}
    assert (found["base"], found["following"]) == (empty, empty)
    assert len(counted(sim)) == 2


@pytest.mark.asyncio
async def test_unreadable_documents_are_told_without_numbers(
    gateway: "Gateway", chain: dict[str, int]
) -> None:
    ana = await gateway.signed_in()
    for paths, base, following in [
        (["/ventas/entregas"], 0, 0),
        (["/ventas/entregas", "/ventas/pedidos"], 1, 0),
        (["/ventas/entregas", "/ventas/facturas"], 0, 1),
    ]:
        await gateway.http.put("/api/permissions/luis", json={"paths": paths}, headers=ana)
        luis = await gateway.signed_in("luis")
        answer = await gateway.http.get(f"/api/flow/DeliveryNotes/{chain['DeliveryNotes']}", headers=luis)
        found = answer.json()
        assert (len(found["base"]["documents"]), found["base"]["hasHidden"]) == (base, not base)
        assert (len(found["following"]["documents"]), found["following"]["hasHidden"]) == (
            following,
            not following,
        )
        if not base:
            assert f'"{chain["Orders"]}"' not in answer.text
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/entregas"]}, headers=ana)
    luis = await gateway.signed_in("luis")
    refused = await gateway.http.get(f"/api/flow/Orders/{chain['Orders']}", headers=luis)
    assert (refused.status_code, refused.json()["code"]) == (403, "permission_denied")
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/facturas"]}, headers=ana)
    luis = await gateway.signed_in("luis")
    found = await flow(gateway, "Invoices", chain["Invoices"], luis)
    assert found["following"] == {"documents": [], "hasHidden": True, "isComplete": True}


@pytest.mark.asyncio
@pytest.mark.parametrize("of_one_set", [True, False], ids=["one set", "the query service"])
async def test_refused_reads_are_left_out_and_remembered(
    gateway: "Gateway", sim: "Simulator", chain: dict[str, int], clock: ManualClock, *, of_one_set: bool
) -> None:
    if of_one_set:
        sim.world.switches = Switches(forbidden_sets=frozenset({"DownPayments"}))
    else:
        sim.world.switches = Switches(query_service=False)
    ana = await gateway.signed_in()
    sim.calls.clear()
    first = await flow(gateway, "Orders", chain["Orders"], ana)
    assert len(counted(sim)) <= 3
    sim.calls.clear()
    second = await flow(gateway, "Orders", chain["Orders"], ana)
    assert counted(sim) == ["Orders", "$batch"]
    following = ["DeliveryNotes"] if of_one_set else []
    for found in (first, second):
        assert [each["resource"] for each in found["base"]["documents"]] == ["Quotations"]
        assert found["base"]["isComplete"]
        assert [each["resource"] for each in found["following"]["documents"]] == following
        assert not found["following"]["isComplete"]
    sim.world.switches = Switches()
    clock.advance(REMEMBERED_S + 1)
    assert (await flow(gateway, "Orders", chain["Orders"]))["following"]["isComplete"]


@pytest.mark.asyncio
async def test_an_erp_without_paid_amounts_shows_no_open_amounts(
    open_gateway: "OpenGateway",
) -> None:
    async with run_sim(switches=Switches(paid_amounts=False)) as sim, open_gateway(sim) as gateway:
        order = await create(gateway, "Orders")
        invoice = await create(gateway, "Invoices", drawn_from("Orders", order))
        ana = await gateway.signed_in()
        sim.calls.clear()
        found = await flow(gateway, "Invoices", invoice, ana)
        assert counted(sim) == ["Invoices", "Invoices", "$batch"]
        assert found["document"]["open"] is None
        assert named(found["base"]) == [("Orders", str(order), "closed")]
        sim.calls.clear()
        found = await flow(gateway, "Orders", order, ana)
        assert counted(sim) == ["Orders", "$batch"]
        assert named(found["following"]) == [("Invoices", str(invoice), "open")]
        sim.sessions.end_all()  # the next session may be one of a newer ERP


@pytest.mark.asyncio
async def test_the_first_refusal_of_paid_amounts_in_a_batch_costs_one_more_call(
    open_gateway: "OpenGateway",
) -> None:
    async with run_sim(switches=Switches(paid_amounts=False)) as sim, open_gateway(sim) as gateway:
        order = await create(gateway, "Orders")
        invoice = await create(gateway, "Invoices", drawn_from("Orders", order))
        ana = await gateway.signed_in()
        sim.calls.clear()
        found = await flow(gateway, "Orders", order, ana)
        assert counted(sim) == ["Orders", "$batch", "$batch"]
        assert named(found["following"]) == [("Invoices", str(invoice), "open")]
        assert found["following"]["isComplete"]


@pytest.mark.asyncio
async def test_a_refused_batch_leaves_the_document(
    gateway: "Gateway", sim: "Simulator", chain: dict[str, int]
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Refuse(status=403, code=-6006, text="no"), path="$batch", times=1))
    found = await flow(gateway, "Orders", chain["Orders"], ana)
    assert found["document"]["key"] == str(chain["Orders"])
    assert not found["base"]["isComplete"]
    assert not found["following"]["isComplete"]
    sim.calls.clear()
    await flow(gateway, "Orders", chain["Orders"], ana)
    assert counted(sim) == ["Orders"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("Orders/999999", 404, "record_not_found"),
        ("Orders/x", 400, "key_bad_value"),
        ("Nothing/1", 404, "resource_not_registered"),
        ("Items/A%2F1", 404, "no_flow"),
        ("orders/1", 404, "resource_not_registered"),
        ("EmployeesInfo/1", 404, "resource_not_registered"),
        ("Orders/1?$filter=x", 400, "invalid_query"),
    ],
)
async def test_other_addresses_have_no_flow(gateway: "Gateway", path: str, status: int, code: str) -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.get(f"/api/flow/{path}", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.asyncio
async def test_a_flow_leaves_no_trace_in_ledger_and_audit(gateway: "Gateway", chain: dict[str, int]) -> None:
    ana = await gateway.signed_in()
    before = [(await gateway.http.get(path, headers=ana)).json()["total"] for path in TRACES]
    await flow(gateway, "Orders", chain["Orders"], ana)
    assert [(await gateway.http.get(path, headers=ana)).json()["total"] for path in TRACES] == before
    posted = await gateway.http.post("/api/sl/QueryService_PostQuery", json={}, headers=ana)
    assert posted.status_code == 404


@pytest.mark.asyncio
async def test_foreign_documents_are_shown_in_their_currency(open_gateway: "OpenGateway") -> None:
    async with run_sim(seed="full") as sim, open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        path = "/api/sl/PurchaseDeliveryNotes?$filter=DocTotalFc gt 0&$top=1"
        (receipt,) = (await gateway.http.get(path, headers=ana)).json()["value"]
        found = (await flow(gateway, "PurchaseDeliveryNotes", receipt["DocEntry"], ana))["document"]
        assert (found["total"], found["currency"]) == (receipt["DocTotalFc"], receipt["DocCurrency"])
        assert found["total"] != receipt["DocTotal"]


@pytest.fixture(params=["sqlite", "hana"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Settings of a copy of the small company on each engine."""
    if request.param == "sqlite":
        path = tmp_path / "company.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            load_into_sqlite(connection, World(load_packaged_facts(), seed="small"))
        return {"ERPDB_ENGINE": "sqlite", "ERPDB_DATABASE": str(path)}
    hana = request.getfixturevalue("hana")
    return {
        "ERPDB_ENGINE": "hana",
        "ERPDB_SERVER": "127.0.0.1",
        "ERPDB_PORT": str(hana.port),
        "ERPDB_USER": USER,
        "ERPDB_PASSWORD": PASSWORD,
        "ERPDB_SCHEMA": "SBO_DEMO",
        "ERPDB_ENCRYPT": "false",
    }


@pytest.mark.asyncio
async def test_the_database_answers_as_the_query_service_does(
    open_gateway: "OpenGateway", database: dict[str, str]
) -> None:
    async with run_sim() as sim:
        orders = [row["DocEntry"] for row in sim.world.company.rows("Orders")]
        receipts = [row["DocEntry"] for row in sim.world.company.rows("PurchaseOrders")]
        addresses = [*(("Orders", each) for each in orders), *(("PurchaseOrders", each) for each in receipts)]
        async with open_gateway(sim) as gateway:
            ana = await gateway.signed_in()
            expected = [await flow(gateway, name, int(str(entry)), ana) for name, entry in addresses]
        async with open_gateway(sim, **database) as gateway:
            ana = await gateway.signed_in()
            sim.calls.clear()
            found = [await flow(gateway, name, int(str(entry)), ana) for name, entry in addresses]
            assert set(counted(sim)) <= {"Orders", "PurchaseOrders", "$batch"}
            assert counted(sim).count("$batch") < len(addresses)
    sides = [(each["base"], each["following"]) for each in found]
    assert sides == [(each["base"], each["following"]) for each in expected]
    assert any(each["following"]["documents"] for each in expected)


@pytest.mark.asyncio
async def test_an_unreachable_database_leaves_the_query_service(open_gateway: "OpenGateway") -> None:
    settings = {"ERPDB_ENGINE": "sqlite", "ERPDB_DATABASE": "/nowhere/company.sqlite"}
    async with run_sim() as sim, open_gateway(sim, **settings) as gateway:
        order = await create(gateway, "Orders")
        delivery = await create(gateway, "DeliveryNotes", drawn_from("Orders", order))
        found = await flow(gateway, "Orders", order)
        assert named(found["following"]) == [("DeliveryNotes", str(delivery), "open")]


@pytest.mark.asyncio
async def test_hidden_fields_stay_hidden(extended: "Gateway") -> None:
    order = await create(extended, "Orders")
    await create(extended, "DeliveryNotes", drawn_from("Orders", order))
    (delivery,) = (await flow(extended, "Orders", order))["following"]["documents"]
    assert delivery["total"] is None
    assert delivery["number"] is not None

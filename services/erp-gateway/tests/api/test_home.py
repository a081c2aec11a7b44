"""`GET /api/home`: figures by permission, in few calls, kept for a minute."""

import asyncio
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from erp_gateway.records.home.figures import FRESH_S, RETRY_AFTER_S, STALE_S
from erpsim.company.switches import Switches
from erpsim.faults import Fault, Refuse
from erpsim.simulator import run_sim
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

ERP_CARDS = ["orders_due", "invoices_overdue", "supplier_invoices_overdue", "low_stock"]
OWN_CARDS = ["unknown_writes", "denied_permissions"]


async def home(gateway: "Gateway", headers: dict[str, str] | None = None) -> dict[str, dict[str, Any]]:
    answer = await gateway.http.get("/api/home", headers=headers or await gateway.signed_in())
    assert answer.status_code == 200, answer.text
    return {card["name"]: card for card in answer.json()["cards"]}


async def grant(gateway: "Gateway", *paths: str) -> dict[str, str]:
    ana = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", headers=ana, json={"paths": list(paths)})
    return await gateway.signed_in("luis")


def calls(sim: "Simulator") -> list[str]:
    return [call.path for call in sim.calls if call.path not in ("Login", "Logout", "EmployeesInfo")]


@pytest.mark.asyncio
async def test_administrators_see_every_card_in_four_calls(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    sim.calls.clear()
    cards = await home(gateway, ana)
    assert list(cards) == [*ERP_CARDS, *OWN_CARDS]
    assert calls(sim) == ["Orders", "Invoices", "PurchaseInvoices", "Items"]
    assert all(card["state"] == "read" for card in cards.values())


@pytest.mark.asyncio
async def test_figures_are_those_of_the_list_that_the_card_links_to(open_gateway: "OpenGateway") -> None:
    async with run_sim(seed="full") as sim, open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        cards = await home(gateway, ana)
        for name in ("orders_due", "invoices_overdue", "supplier_invoices_overdue"):
            card = cards[name]
            params = {"$filter": card["filter"], "$top": "500"}
            listed = await gateway.http.get(f"/api/sl/{card['resource']}", params=params, headers=ana)
            page = listed.json()
            assert card["count"] == page["odata.count"] > 0, name
            expected: dict[str, Decimal] = {}
            for row in page["value"]:
                foreign = row["DocTotalFc"]
                total = Decimal(str(foreign or row["DocTotal"]))
                paid = Decimal(str(row["PaidToDateFC"] if foreign else row["PaidToDate"]))
                currency = row["DocCurrency"]
                expected[currency] = (
                    expected.get(currency, Decimal()) + total - (Decimal() if name == "orders_due" else paid)
                )
            found = {each["currency"]: Decimal(str(each["amount"])) for each in card["sums"]}
            assert card["isPartial"] == (page["odata.count"] > 500)
            if not card["isPartial"]:
                assert {name: round(amount, 2) for name, amount in found.items()} == {
                    name: round(amount, 2) for name, amount in expected.items()
                }


@pytest.mark.asyncio
async def test_items_below_their_minimum_are_counted_and_named(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    changed = await gateway.http.patch("/api/sl/Items/A%2F1", json={"MinInventory": 1000000}, headers=ana)
    assert changed.status_code == 204, changed.text
    card = (await home(gateway, ana))["low_stock"]
    assert card["count"] >= 1
    listed = await gateway.http.get("/api/sl/Items", params={"$filter": card["filter"]}, headers=ana)
    assert "A/1" in {row["ItemCode"] for row in listed.json()["value"]}


@pytest.mark.asyncio
async def test_a_card_needs_the_right_to_read_its_resource(gateway: "Gateway", sim: "Simulator") -> None:
    for paths, expected, read in [
        ((), [], []),
        (("/ventas/pedidos",), ["orders_due"], ["Orders"]),
        (("/ventas/*",), ["orders_due", "invoices_overdue"], ["Orders", "Invoices"]),
        (("/inventario/traslados",), ["low_stock"], ["Items"]),
    ]:
        luis = await grant(gateway, *paths)
        sim.calls.clear()
        assert list(await home(gateway, luis)) == [*expected, "unknown_writes"]
        assert [path for path in calls(sim) if path not in read] == []


@pytest.mark.asyncio
async def test_figures_are_kept_for_a_minute_and_shared(
    gateway: "Gateway", sim: "Simulator", clock: ManualClock
) -> None:
    luis = await grant(gateway, "/ventas/*")
    ana = await gateway.signed_in()
    sim.calls.clear()
    first = await home(gateway, ana)
    clock.advance(FRESH_S / 2)
    assert await home(gateway, luis) == {
        **{name: first[name] for name in ("orders_due", "invoices_overdue")},
        "unknown_writes": (await home(gateway, luis))["unknown_writes"],
    }
    assert len(calls(sim)) == 4
    clock.advance(FRESH_S / 2)
    again = await home(gateway, luis)
    assert calls(sim)[4:] == ["Orders", "Invoices"]
    assert again["orders_due"]["readAt"] > first["orders_due"]["readAt"]


@pytest.mark.asyncio
async def test_pages_that_open_together_read_once(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    sim.calls.clear()
    await asyncio.gather(*(home(gateway, ana) for _ in range(10)))
    assert len(calls(sim)) == 4


@pytest.mark.asyncio
async def test_a_refused_card_is_unavailable_and_an_old_one_stale(
    gateway: "Gateway", sim: "Simulator", clock: ManualClock
) -> None:
    ana = await gateway.signed_in()
    refuse = Fault(action=Refuse(status=403, code=-6006, text="no"), path="Orders", times=None)
    fault = sim.faults.add(refuse)
    cards = await home(gateway, ana)
    assert (cards["orders_due"]["state"], cards["orders_due"]["count"]) == ("unavailable", None)
    assert cards["invoices_overdue"]["state"] == "read"
    sim.calls.clear()
    await home(gateway, ana)
    assert calls(sim) == []
    sim.faults.clear()
    clock.advance(RETRY_AFTER_S)
    assert (await home(gateway, ana))["orders_due"]["state"] == "read"
    assert calls(sim) == ["Orders"]
    sim.faults.add(refuse)
    clock.advance(FRESH_S)
    stale = (await home(gateway, ana))["orders_due"]
    assert (stale["state"], stale["count"]) == ("stale", (stale["count"] or 0))
    clock.advance(STALE_S)
    assert (await home(gateway, ana))["orders_due"]["state"] == "unavailable"
    del fault


@pytest.mark.asyncio
async def test_an_erp_without_paid_amounts_shows_totals_in_four_calls(open_gateway: "OpenGateway") -> None:
    async with run_sim(switches=Switches(paid_amounts=False)) as sim, open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        sim.calls.clear()
        await home(gateway, ana)
        assert len(calls(sim)) == 4
        second = await home(gateway, ana)
        assert len(calls(sim)) <= 8
        assert all(second[name]["state"] == "read" for name in ERP_CARDS)


@pytest.mark.asyncio
async def test_denials_are_grouped_for_administrators_alone(gateway: "Gateway") -> None:
    luis = await grant(gateway, "/ventas/pedidos")
    for path in ("Invoices", "Invoices", "Quotations"):
        await gateway.http.get(f"/api/sl/{path}", headers=luis)
    assert "denied_permissions" not in await home(gateway, luis)
    card = (await home(gateway))["denied_permissions"]
    assert card["count"] == 3
    assert [(each["webUser"], each["resource"], each["count"]) for each in card["denials"]] == [
        ("luis", "Quotations", 1),
        ("luis", "Invoices", 2),
    ]


@pytest.mark.asyncio
async def test_the_home_page_takes_no_parameters(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.get("/api/home?webUser=luis", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")

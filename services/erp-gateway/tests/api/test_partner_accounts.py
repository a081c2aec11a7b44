"""`GET /api/partner-accounts`: balance and open documents of a partner, in one call."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from erpsim.company.switches import Switches
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

AGES = {
    "2026-03-02": "notDue",
    "2026-12-31": "notDue",
    "2026-03-01": "days1To30",
    "2026-01-31": "days1To30",
    "2026-01-30": "days31To60",
    "2026-01-01": "days31To60",
    "2025-12-31": "days61To90",
    "2025-12-02": "days61To90",
    "2025-12-01": "over90",
}
"""Age by due date on 2 March 2026."""


async def account(
    gateway: "Gateway", code: str = "C0NEW", headers: dict[str, str] | None = None
) -> dict[str, Any]:
    answer = await gateway.http.get(
        f"/api/partner-accounts/{code}", headers=headers or await gateway.signed_in()
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def post(gateway: "Gateway", resource: str, body: dict[str, Any]) -> dict[str, Any]:
    ana = await gateway.signed_in()
    made = await gateway.http.post(f"/api/sl/{resource}", json=body, headers=ana)
    assert made.status_code == 201, made.text
    created: dict[str, Any] = made.json()
    return created


async def invoice(gateway: "Gateway", due: str, resource: str = "Invoices") -> dict[str, Any]:
    lines = [{"ItemCode": "A/1", "Quantity": 1, "UnitPrice": 1000}]
    return await post(gateway, resource, {"CardCode": "C0NEW", "DocDueDate": due, "DocumentLines": lines})


async def new_partner(gateway: "Gateway") -> None:
    await post(gateway, "BusinessPartners", {"CardCode": "C0NEW", "CardName": "Cliente nuevo"})


def calls(sim: "Simulator") -> list[str]:
    return [call.path for call in sim.calls if call.path not in ("Login", "Logout", "EmployeesInfo")]


@pytest.mark.asyncio
async def test_open_invoices_are_shown_by_age_in_one_call(gateway: "Gateway", sim: "Simulator") -> None:
    await new_partner(gateway)
    totals = {due: Decimal(str((await invoice(gateway, due))["DocTotal"])) for due in AGES}
    ana = await gateway.signed_in()
    sim.calls.clear()
    found = await account(gateway, headers=ana)
    assert calls(sim) == ["$batch"]
    assert (found["cardCode"], found["cardName"]) == ("C0NEW", "Cliente nuevo")
    assert Decimal(str(found["balance"])) == sum(totals.values())
    expected: dict[str, Decimal] = {}
    for due, age in AGES.items():
        expected[age] = expected.get(age, Decimal()) + totals[due]
    (open_amounts,) = found["accounts"]
    assert {name: Decimal(str(amount)) for name, amount in open_amounts["ages"].items()} == expected
    assert Decimal(str(open_amounts["total"])) == sum(totals.values())
    assert [each["dueDate"] for each in found["documents"]] == sorted(AGES)
    assert (found["hasHidden"], found["isComplete"], found["openKnown"]) == (False, True, True)


@pytest.mark.asyncio
async def test_payments_and_credit_notes_reduce_what_is_open(gateway: "Gateway") -> None:
    await new_partner(gateway)
    first = await invoice(gateway, "2026-01-01")
    paid = [{"DocEntry": first["DocEntry"], "InvoiceType": "it_Invoice", "SumApplied": 300}]
    await post(gateway, "IncomingPayments", {"CardCode": "C0NEW", "CashSum": 300, "PaymentInvoices": paid})
    credit = await invoice(gateway, "2026-03-02", "CreditNotes")
    found = await account(gateway)
    (open_amounts,) = found["accounts"]
    assert open_amounts["ages"]["days31To60"] == first["DocTotal"] - 300
    assert open_amounts["ages"]["notDue"] == -credit["DocTotal"]
    assert open_amounts["total"] == -300
    assert found["balance"] == -300
    assert {each["resource"]: each["open"] for each in found["documents"]} == {
        "Invoices": first["DocTotal"] - 300,
        "CreditNotes": credit["DocTotal"],
    }


@pytest.mark.asyncio
async def test_documents_need_their_own_right(gateway: "Gateway", sim: "Simulator") -> None:
    await new_partner(gateway)
    made = await invoice(gateway, "2026-01-01")
    ana = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/socios"]}, headers=ana)
    luis = await gateway.signed_in("luis")
    found = await account(gateway, headers=luis)
    assert (found["documents"], found["accounts"], found["hasHidden"]) == ([], [], True)
    assert found["balance"] == made["DocTotal"]
    await gateway.http.put("/api/permissions/luis", json={"paths": ["/ventas/facturas"]}, headers=ana)
    luis = await gateway.signed_in("luis")
    sim.calls.clear()
    refused = await gateway.http.get("/api/partner-accounts/C0NEW", headers=luis)
    assert (refused.status_code, refused.json()["code"], calls(sim)) == (403, "permission_denied", [])


@pytest.mark.asyncio
async def test_an_erp_without_paid_amounts_shows_totals(open_gateway: "OpenGateway") -> None:
    async with run_sim(switches=Switches(paid_amounts=False)) as sim, open_gateway(sim) as gateway:
        await new_partner(gateway)
        made = await invoice(gateway, "2026-01-01")
        ana = await gateway.signed_in()
        sim.calls.clear()
        found = await account(gateway, headers=ana)
        assert calls(sim) == ["$batch", "$batch"]
        assert (found["openKnown"], found["isComplete"]) == (False, True)
        assert found["accounts"][0]["total"] == made["DocTotal"]
        sim.calls.clear()
        await account(gateway, headers=ana)
        assert calls(sim) == ["$batch"]


@pytest.mark.asyncio
async def test_a_set_that_the_erp_refuses_makes_the_account_incomplete(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    await new_partner(gateway)
    await invoice(gateway, "2026-01-01")
    sim.world.switches = Switches(forbidden_sets=frozenset({"CreditNotes"}))
    found = await account(gateway)
    assert (len(found["documents"]), found["isComplete"]) == (1, False)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("key", "status", "code"),
    [
        ("NOBODY", 404, "record_not_found"),
        ("C'1 or 1 eq 1", 404, "record_not_found"),
        ("", 404, "not_found"),
        ("C00001?$top=1", 400, "invalid_query"),
    ],
)
async def test_other_keys_have_no_account(gateway: "Gateway", key: str, status: int, code: str) -> None:
    ana = await gateway.signed_in()
    answer = await gateway.http.get(f"/api/partner-accounts/{key}", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (status, code)

"""`GET /api/sums`: one call of the ERP, the rights of a list, an ERP that does not add up."""

import sys
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from erpsim.company.habits import OtherHabit
from erpsim.company.switches import Switches
from erpsim.faults import Fault, Refuse
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

NAME = "customer_of_the_sums"
MODULE = """
import attrs
from erp_gateway.extensions import *

ORDERS = next(each for each in SHIPPED.resources if each.name == "Orders")
EXTENSION = Extension(
    replaces=Declarations(
        resources=(
            attrs.evolve(
                ORDERS,
                secret_fields=frozenset({"VatSum", "DocCurrency"}),
                columns=tuple(column for column in ORDERS.columns if column.name != "DocCurrency"),
            ),
        )
    ),
)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    (tmp_path / f"{NAME}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield {"EXTENSIONS": NAME}
    sys.modules.pop(NAME, None)


def reads(sim: "Simulator") -> list[str]:
    return [unquote(call.query) for call in sim.calls.of("GET") if call.path == "Orders"]


async def all_orders(gateway: "Gateway", headers: dict[str, str], condition: str) -> list[dict[str, Any]]:
    address = f"/api/sl/Orders?$top=500&$select=DocEntry,DocTotal,DocTotalFc,DocCurrency&$filter={condition}"
    answer = await gateway.http.get(address, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["value"]  # type: ignore[no-any-return]


async def make_order_in_dollars(gateway: "Gateway", headers: dict[str, str]) -> None:
    line = {"ItemCode": "A/1", "Quantity": 1, "UnitPrice": 12.5}
    body = {"CardCode": "C00001", "DocDueDate": "2026-12-31", "DocCurrency": "USD", "DocumentLines": [line]}
    assert (await gateway.http.post("/api/sl/Orders", json=body, headers=headers)).status_code == 201


@pytest.mark.asyncio
@pytest.mark.parametrize("version", ["v1", "v2"])
async def test_sums_are_those_of_all_records_in_one_call(
    open_gateway: "OpenGateway", sim: "Simulator", version: str
) -> None:
    async with open_gateway(sim, url=sim.url if version == "v1" else sim.url_v2) as gateway:
        ana = await gateway.signed_in()
        await make_order_in_dollars(gateway, ana)
        condition = "DocumentStatus eq 'bost_Open' and contains(CardName,'a')"
        rows = await all_orders(gateway, ana, condition)
        before = len(sim.calls)
        answer = await gateway.http.get(f"/api/sums/Orders?$filter={condition}", headers=ana)
        assert answer.status_code == 200, answer.text
        assert len(sim.calls) == before + 1
        local, foreign = answer.json()["columns"]
        assert (answer.json()["available"], answer.json()["count"]) == (True, len(rows))
        total = sum((Decimal(str(row["DocTotal"])) for row in rows), Decimal(0))
        assert (local["name"], local["by"]) == ("DocTotal", None)
        assert [(each["unit"], Decimal(str(each["value"]))) for each in local["sums"]] == [(None, total)]
        by_currency: dict[str, Decimal] = defaultdict(Decimal)
        for row in rows:
            by_currency[row["DocCurrency"]] += Decimal(str(row["DocTotalFc"]))
        assert (foreign["name"], foreign["by"]) == ("DocTotalFc", "DocCurrency")
        found = {each["unit"]: Decimal(str(each["value"])) for each in foreign["sums"]}
        assert found == dict(by_currency)
        assert len(found) > 1


@pytest.mark.asyncio
async def test_letter_case_does_not_matter_as_in_the_list(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    name = (await gateway.http.get("/api/sl/Orders?$top=1", headers=ana)).json()["value"][0]["CardName"]
    condition = f"contains(CardName,'{name.upper()[:6]}')"
    listed = await gateway.http.get(f"/api/sl/Orders?$top=1&$filter={condition}", headers=ana)
    summed = await gateway.http.get(f"/api/sums/Orders?$filter={condition}&$select=DocTotal", headers=ana)
    assert summed.json()["count"] == listed.json()["odata.count"] > 0
    assert reads(sim)[-1] == (
        f"$apply=filter({condition})/aggregate(DocTotal with sum as Sum0,"
        "DocEntry with countdistinct as RecordCount)"
    )
    assert dict(sim.calls[-1].headers)["b1s-caseinsensitive"] == "true"


@pytest.mark.asyncio
async def test_sums_need_the_right_to_read(gateway: "Gateway", sim: "Simulator") -> None:
    luis = await gateway.signed_in("luis")
    before = len(sim.calls)
    answer = await gateway.http.get("/api/sums/Orders", headers=luis)
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    answer = await gateway.http.get("/api/sums/orders", headers=luis)
    assert (answer.status_code, answer.json()["code"]) == (404, "resource_not_registered")
    assert (await gateway.http.get("/api/sums/Orders")).status_code == 401
    answer = await gateway.http.post("/api/sums/Orders", headers=luis, json={})
    assert answer.status_code == 405
    assert len(sim.calls) == before


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("$select=DocEntry", "odata_bad_value"),
        ("$select=doctotal", "odata_bad_value"),
        ("$select=*", "odata_bad_value"),
        ("$select=DocTotal,DocRate", "odata_bad_value"),
        ("$select=DocTotal with sum as X", "odata_syntax"),
        ("$apply=aggregate(DocTotal with sum as X)", "odata_unknown_option"),
        ("%24apply=aggregate(DocTotal with sum as X)", "odata_unknown_option"),
        ("$top=1", "odata_unknown_option"),
        ("$expand=SalesPerson", "odata_unknown_option"),
        ("$filter=DocEntry eq 1)/aggregate(U_Secret with sum as X", "odata_syntax"),
        ("$filter=Password eq 'x'", "odata_forbidden_name"),
        (
            "$filter=contains(CardName,'" + "ñ" * 254 + "')" + " or CardName eq 'ññññññññññ'" * 99,
            "odata_limit",
        ),
    ],
)
async def test_other_names_and_options_are_refused(
    gateway: "Gateway", sim: "Simulator", query: str, code: str
) -> None:
    ana = await gateway.signed_in()
    before = len(sim.calls)
    answer = await gateway.http.get(f"/api/sums/Orders?{query}", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert len(sim.calls) == before


@pytest.mark.asyncio
async def test_hidden_fields_are_neither_added_up_nor_grouped_by(
    extended: "Gateway", sim: "Simulator"
) -> None:
    ana = await extended.signed_in()
    answer = await extended.http.get("/api/sums/Orders", headers=ana)
    assert [each["name"] for each in answer.json()["columns"]] == ["DocTotal"]
    for query in ("$select=VatSum", "$select=vatsum", "$select=DocTotalFc", "$filter=doccurrency eq 'USD'"):
        before = len(sim.calls)
        refused = await extended.http.get(f"/api/sums/Orders?{query}", headers=ana)
        assert refused.status_code == 400, query
        assert len(sim.calls) == before
    assert all("DocCurrency" not in query and "VatSum" not in query for query in reads(sim))


@pytest.mark.asyncio
async def test_a_resource_without_such_columns_has_no_sums(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    before = len(sim.calls)
    for resource in ("Warehouses", "SpecialPrices"):
        answer = await gateway.http.get(f"/api/sums/{resource}", headers=ana)
        assert answer.json() == {"available": False, "count": None, "columns": []}
    assert len(sim.calls) == before


@pytest.mark.asyncio
@pytest.mark.parametrize("habit", [OtherHabit.NO_APPLY, OtherHabit.APPLY_IGNORED])
async def test_an_erp_that_does_not_add_up_is_remembered_until_the_next_login(
    open_gateway: "OpenGateway", habit: OtherHabit
) -> None:
    switches = Switches(other_habits=frozenset({habit}))
    async with run_sim(switches=switches) as sim, open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        address = "/api/sums/Orders?$filter=DocEntry gt 0"
        for _ in range(3):
            answer = await gateway.http.get(address, headers=ana)
            assert answer.json() == {"available": False, "count": None, "columns": []}
        refused = len(reads(sim))
        assert refused == (2 if habit is OtherHabit.NO_APPLY else 1)
        sim.sessions.end_all()
        assert (await gateway.http.get("/api/sl/Orders?$top=1", headers=ana)).status_code == 200
        await gateway.http.get(address, headers=ana)
        assert len(reads(sim)) > refused + 1


@pytest.mark.asyncio
async def test_a_filter_that_the_erp_refuses_is_refused_as_by_the_list(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    condition = "U_NoSuchField eq 'x'"
    listed = await gateway.http.get(f"/api/sl/Orders?$filter={condition}", headers=ana)
    summed = await gateway.http.get(f"/api/sums/Orders?$filter={condition}", headers=ana)
    assert (summed.status_code, summed.json()["code"]) == (listed.status_code, listed.json()["code"])
    assert (await gateway.http.get("/api/sums/Orders", headers=ana)).json()["available"] is True


@pytest.mark.asyncio
async def test_an_erp_without_the_right_is_not_taken_for_one_that_does_not_add_up(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    refusal = Refuse(status=403, code=-6006, text="not permitted")
    sim.faults.add(Fault(action=refusal, method="GET", path="Orders"))
    assert (await gateway.http.get("/api/sums/Orders", headers=ana)).status_code >= 400
    assert (await gateway.http.get("/api/sums/Orders", headers=ana)).json()["available"] is True

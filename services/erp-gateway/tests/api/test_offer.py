"""`GET /api/sl`: by permission, for every session, without asking the ERP."""

from typing import TYPE_CHECKING, Any

import pytest

from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES, DEFAULT_SERVICE_ACTIONS

if TYPE_CHECKING:
    from tests.api.conftest import Gateway


async def offered(gateway: "Gateway", headers: dict[str, str]) -> dict[str, dict[str, Any]]:
    answer = await gateway.http.get("/api/sl", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.json()["serviceActions"] == [action.name for action in DEFAULT_SERVICE_ACTIONS]
    return {item["name"]: item for item in answer.json()["items"]}


@pytest.mark.asyncio
async def test_an_administrator_sees_all_resources_without_an_erp_call(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    calls_before = gateway.sim.calls.total
    items = await offered(gateway, headers)
    assert gateway.sim.calls.total == calls_before
    assert list(items) == sorted(resource.name for resource in DEFAULT_RESOURCES)
    orders = items["Orders"]
    assert (orders["title"], orders["path"], orders["etag"]) == ("Pedidos de venta", "/api/sl/Orders", True)
    assert orders["singular"] == "Pedido de venta"
    searched = {column["name"]: column["search"] for column in orders["columns"] if column["search"]}
    assert searched == {"DocNum": "code", "CardCode": "code", "CardName": "name"}
    columns = {column["name"]: column for column in orders["columns"]}
    assert columns["DocTotal"]["measure"] == {"kind": "amount", "by": None, "adds": True}
    assert columns["CardCode"]["lookup"]["resource"] == "BusinessPartners"
    partner = {column["name"]: column for column in items["BusinessPartners"]["columns"]}
    assert partner["CardCode"]["lookup"] is None  # its own key
    areas = {"bancos", "borradores", "compras", "finanzas", "inventario", "socios", "ventas", None}
    assert {each["area"] for each in items.values()} == areas
    assert (items["Items"]["area"], items["Countries"]["area"]) == ("inventario", None)
    assert orders["methods"] == ["GET", "POST", "PATCH"]
    assert orders["actions"] == ["Cancel", "Close", "Reopen"]
    assert orders["key"] == [{"name": "DocEntry", "type": "integer"}]
    assert items["JournalEntries"]["actions"] == ["Cancel"]
    assert {item["screen"] for item in items.values()} == {None}  # there is no report gateway
    assert items["SpecialPrices"]["key"] == [
        {"name": "CardCode", "type": "text"},
        {"name": "ItemCode", "type": "text"},
    ]


@pytest.mark.asyncio
async def test_a_permission_change_updates_the_resource_list_at_once(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    assert "Orders" not in await offered(gateway, luis)
    assert (await offered(gateway, luis))["Items"]["methods"] == ["GET"]
    for paths, methods in (["/ventas/pedidos"], ["GET"]), (["/ventas/*"], ["GET", "POST", "PATCH"]):
        put = await gateway.http.put("/api/permissions/luis", headers=ana, json={"paths": paths})
        assert put.status_code == 200
        assert (await offered(gateway, luis))["Orders"]["methods"] == methods


@pytest.mark.asyncio
async def test_every_listed_resource_can_be_read_with_its_columns(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    for item in (await offered(gateway, headers)).values():
        select = ",".join(column["name"] for column in item["columns"])
        found = await gateway.http.get(item["path"], params={"$select": select, "$top": 1}, headers=headers)
        assert found.status_code == 200, (item["name"], found.text)


@pytest.mark.asyncio
async def test_every_search_column_can_be_filtered(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    for item in (await offered(gateway, headers)).values():
        conditions = [
            f"{column['name']} eq 1" if column["type"] == "integer" else f"contains({column['name']},'á')"
            for column in item["columns"]
            if column["search"]
        ]
        assert conditions, item["name"]
        params = {"$filter": " or ".join(conditions), "$top": "1"}
        found = await gateway.http.get(item["path"], params=params, headers=headers)
        assert found.status_code == 200, (item["name"], found.text)


@pytest.mark.asyncio
async def test_the_resource_list_requires_a_session_and_allows_only_get(gateway: "Gateway") -> None:
    assert (await gateway.http.get("/api/sl")).status_code == 401
    refused = await gateway.http.post("/api/sl", headers=await gateway.signed_in(), json={})
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")

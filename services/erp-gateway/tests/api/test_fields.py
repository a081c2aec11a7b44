"""`GET /api/fields/{resource}`: titles, kinds and values of fields, asked of the ERP once in each session."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from erp_gateway.records.fields.description import describe
from erp_gateway.records.proxy.declarations.meanings import LOOKUPS, OF_DOCUMENTS
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import Resource
from erpclient.metadata import read_metadata
from erpclient.odata import IntKey, StrKey
from erpsim.desk import Desk
from erpsim.faults import Answer, BadGateway, Delay, Fault, Refuse

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

ASKED = ("$metadata", "UserFieldsMD")
FLOOR = {"TableName": "ORDR", "Name": "PISO", "Type": "db_Alpha", "Size": 10, "Description": "Piso"}


async def read(gateway: "Gateway", who: dict[str, str], resource: str = "Orders") -> dict[str, Any]:
    answer = await gateway.http.get(f"/api/fields/{resource}", headers=who)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def calls(sim: "Simulator") -> list[int]:
    return [len([call for call in sim.calls.of("GET") if call.path.startswith(name)]) for name in ASKED]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


def by_name(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in items}


@pytest.mark.asyncio
async def test_fields_have_titles_kinds_and_values(gateway: "Gateway") -> None:
    orders = await read(gateway, await gateway.signed_in())
    fields, lines = by_name(orders["fields"]), by_name(orders["collections"])["DocumentLines"]
    assert (orders["name"], orders["complete"], lines["title"]) == ("Orders", True, "Líneas")
    kinds = ("DocNum", "DocTotal", "DocDate", "CardCode", "DocumentStatus")
    assert [fields[name]["type"] for name in kinds] == ["integer", "number", "date", "text", "choice"]
    assert fields["NumAtCard"]["title"] == "Referencia"
    assert fields["DocNum"]["choices"] == []
    cancelled = {each["value"]: each["title"] for each in fields["CancelStatus"]["choices"]}
    assert cancelled == {"csYes": "Anulado", "csNo": "No anulado", "csCancellation": "De anulación"}
    # a value that nobody has named is its own title, and a field has none
    kinds_of_summary = fields["SummeryType"]
    assert kinds_of_summary["title"] is None
    assert {"value": "dByItems", "title": "dByItems"} in kinds_of_summary["choices"]
    inner = by_name(lines["fields"])
    assert (inner["Quantity"]["title"], inner["Quantity"]["type"]) == ("Cantidad", "number")
    assert (inner["LineNum"]["title"], inner["LineNum"]["type"]) == ("Línea", "integer")
    assert (inner["UoMEntry"]["title"], inner["UoMEntry"]["type"]) == ("Unidad de medida", "integer")


@pytest.mark.asyncio
async def test_both_versions_of_the_service_layer_provide_field_descriptions(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, url=sim.url_v2) as gateway:
        orders = await read(gateway, await gateway.signed_in())
    fields, lines = by_name(orders["fields"]), by_name(orders["collections"])["DocumentLines"]
    assert (orders["complete"], fields["DocDate"]["type"], fields["U_CANAL"]["title"]) == (
        True,
        "date",
        "Canal",
    )
    assert by_name(lines["fields"])["LineTotal"]["type"] == "number"


@pytest.mark.asyncio
async def test_user_fields_are_named_by_their_definition(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    fields = by_name((await read(gateway, ana))["fields"])
    assert fields["U_CANAL"] == {
        "name": "U_CANAL",
        "title": "Canal",
        "type": "choice",
        "choices": [{"value": value, "title": value} for value in ("WEB", "TEL", "SALA")],
        "lookup": None,
        "measure": None,
    }
    items = by_name((await read(gateway, ana, "Items"))["fields"])
    assert (items["U_TEMPORADA"]["title"], items["U_TEMPORADA"]["type"]) == ("Temporada", "text")
    # what the resource's own columns say goes before what all resources have
    assert items["ItemCode"]["title"] == "Artículo"


@pytest.mark.asyncio
async def test_field_descriptions_are_read_once_per_erp_session(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    assert calls(sim) == [0, 0]
    names = ("Orders", "Items", "BusinessPartners", "Orders")
    await asyncio.gather(*(read(gateway, ana, name) for name in names))
    luis = await gateway.signed_in("luis")
    await read(gateway, luis, "Items")
    assert calls(sim) == [1, 1]
    sim.sessions.end_all()
    await read(gateway, luis, "Items")  # nobody has met the new session yet
    assert calls(sim) == [1, 1]
    await gateway.http.get("/api/sl/Items?$top=1", headers=ana)
    await asyncio.gather(*(read(gateway, ana, name) for name in names))
    await until(lambda: calls(sim) == [2, 2])
    await asyncio.gather(*(read(gateway, ana, name) for name in names))
    assert calls(sim) == [2, 2]


@pytest.mark.asyncio
async def test_a_new_erp_session_serves_the_cached_fields_without_waiting(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    before = await read(gateway, ana)
    Desk(sim.world).create("UserFieldsMD", FLOOR)
    sim.sessions.end_all()
    await gateway.http.get("/api/sl/Items?$top=1", headers=ana)
    sim.faults.add(Fault(action=Delay(seconds=3), path="$metadata"))
    result = await asyncio.gather(*(read(gateway, ana, name) for name in ("Orders", "Items", "Orders")))
    assert result[0] == result[2] == before
    assert result[1]["complete"]
    assert calls(sim)[1] == 1


@pytest.mark.asyncio
async def test_a_first_reader_who_disconnects_does_not_cancel_the_read(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=1), path="$metadata"))
    first = asyncio.create_task(read(gateway, ana))
    await until(lambda: calls(sim)[0] == 1)
    first.cancel()
    assert (await read(gateway, ana))["complete"]
    assert calls(sim) == [1, 1]


@pytest.mark.asyncio
async def test_a_new_user_field_appears_after_the_next_erp_session(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    fields = by_name((await read(gateway, ana))["fields"])
    assert "U_PISO" not in fields
    Desk(sim.world).create("UserFieldsMD", FLOOR)
    sim.sessions.end_all()
    await gateway.http.get("/api/sl/Items?$top=1", headers=ana)
    async with asyncio.timeout(30):
        while "U_PISO" not in fields:
            await asyncio.sleep(0.01)
            fields = by_name((await read(gateway, ana))["fields"])
    assert fields["U_PISO"]["title"] == "Piso"
    assert calls(sim) == [2, 2]


@pytest.mark.asyncio
async def test_without_the_erp_declared_columns_are_described_and_retried_after_a_minute(
    gateway: "Gateway", sim: "Simulator", clock: "ManualClock"
) -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=BadGateway(), path="$metadata", times=None))
    for _ in range(3):
        orders = await read(gateway, ana)
        assert (orders["complete"], orders["collections"]) == (False, [])
        first = orders["fields"][0]
        assert (first["name"], first["title"], first["type"]) == ("DocNum", "Número", "integer")
    assert calls(sim) == [1, 0]
    sim.faults.clear()
    clock.advance(60)
    assert (await read(gateway, ana))["complete"]


def nested(depth: int) -> str:
    """Return a document of types within types, deeper than anybody reads them."""
    inside = '<ComplexType Name="T{}"><Property Name="In" Type="Collection(S.T{})"/></ComplexType>'
    types = "".join(inside.format(each, each + 1) for each in range(1, depth))
    return f"""<Schema><EntityType Name="T0"><Property Name="In" Type="Collection(S.T1)"/></EntityType>
      {types}<EntitySet Name="Orders" EntityType="S.T0"/></Schema>"""


@pytest.mark.asyncio
async def test_an_unexpected_metadata_error_is_reported_and_the_next_read_retries(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    broken = Answer(status=200, body=nested(2000), content_type="application/xml")
    sim.faults.add(Fault(action=broken, path="$metadata"))
    answer = await gateway.http.get("/api/fields/Orders", headers=ana)
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert (await read(gateway, ana))["complete"]
    assert calls(sim) == [2, 2]


@pytest.mark.asyncio
async def test_an_unexpected_metadata_error_in_a_new_session_keeps_the_cached_fields(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    ana = await gateway.signed_in()
    before = await read(gateway, ana)
    sim.sessions.end_all()
    await gateway.http.get("/api/sl/Items?$top=1", headers=ana)
    broken = Answer(status=200, body=nested(2000), content_type="application/xml")
    sim.faults.add(Fault(action=broken, path="$metadata", times=None))
    assert await read(gateway, ana) == before
    await until(lambda: calls(sim) == [2, 2])
    for _ in range(3):
        assert await read(gateway, ana) == before
    assert calls(sim) == [2, 2]


@pytest.mark.asyncio
async def test_user_fields_have_no_title_if_the_erp_user_may_not_read_titles(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    sim.faults.add(Fault(action=Refuse(status=403, code=-5006, text="no authorization"), path="UserFieldsMD"))
    fields = by_name((await read(gateway, await gateway.signed_in()))["fields"])
    assert (fields["U_CANAL"]["title"], fields["U_CANAL"]["type"]) == (None, "text")


@pytest.mark.asyncio
async def test_password_fields_are_not_described_at_any_depth(gateway: "Gateway") -> None:
    response = await gateway.http.get("/api/fields/BusinessPartners", headers=await gateway.signed_in())
    assert "Password" not in response.text
    assert by_name(response.json()["collections"])["ContactEmployees"]["title"] == "Contactos"


def test_a_hidden_collection_is_not_described() -> None:
    document = b"""<Schema>
      <EntityType Name="Partner"><Property Name="Code" Type="Edm.String"/>
        <Property Name="Bank" Type="Collection(S.Account)"/>
        <Property Name="Who" Type="Collection(S.Account)"/></EntityType>
      <ComplexType Name="Account"><Property Name="IBAN" Type="Edm.String"/></ComplexType>
      <EntitySet Name="Partners" EntityType="S.Partner"/></Schema>"""
    partners = Resource(
        name="Partners", key=StrKey("Code"), read_menu=None, write_menu=None, secret_fields={"Bank"}
    )
    (result,) = describe(Registry([partners], []).registered, read_metadata(document), []).values()
    assert [each.name for each in result.collections] == ["Who"]


def test_numbers_whose_currency_or_unit_is_hidden_have_no_measure() -> None:
    document = b"""<Schema>
      <EntityType Name="Order"><Property Name="DocEntry" Type="Edm.Int32"/>
        <Property Name="DocCurrency" Type="Edm.String"/><Property Name="DocTotalFc" Type="Edm.Double"/>
        <Property Name="DocTotal" Type="Edm.Double"/>
        <Property Name="Rows" Type="Collection(S.Row)"/></EntityType>
      <ComplexType Name="Row"><Property Name="Quantity" Type="Edm.Double"/>
        <Property Name="MeasureUnit" Type="Edm.String"/></ComplexType>
      <EntitySet Name="Orders" EntityType="S.Order"/></Schema>"""

    def measured(*secrets: str) -> list[str]:
        orders = Resource(
            name="Orders", key=IntKey("DocEntry"), read_menu=None, write_menu=None, secret_fields={*secrets}
        )
        (result,) = describe(Registry([orders], []).registered, read_metadata(document), []).values()
        return [each.name for each in (*result.fields, *result.collections[0].fields) if each.measure]

    assert measured() == ["DocTotalFc", "DocTotal", "Quantity"]
    assert measured("DocCurrency", "MeasureUnit") == ["DocTotal"]


@pytest.mark.asyncio
async def test_fields_are_described_only_to_users_of_the_resource(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
    denied = await gateway.http.get("/api/fields/Orders", headers=luis)
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
    unknown = await gateway.http.get("/api/fields/Users", headers=ana)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "resource_not_registered")
    response = await gateway.http.get("/api/fields/Items?x=1", headers=ana)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_query")
    for paths in ["/ventas/pedidos"], ["/ventas/pedidos/editar"]:
        await gateway.http.put("/api/permissions/luis", headers=ana, json={"paths": paths})
        assert (await read(gateway, luis))["complete"]


@pytest.mark.check
@pytest.mark.asyncio
async def test_every_resource_is_described_with_its_columns(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    for item in (await gateway.http.get("/api/sl", headers=ana)).json()["items"]:
        described = await read(gateway, ana, item["name"])
        fields = by_name(described["fields"])
        assert described["complete"]
        for column in item["columns"]:
            field = fields[column["name"]]
            assert (field["title"], field["type"]) == (column["title"], column["type"])


@pytest.mark.asyncio
async def test_a_field_names_the_lookup_resource_of_its_values(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    orders = await read(gateway, ana)
    fields, lines = by_name(orders["fields"]), by_name(orders["collections"])["DocumentLines"]
    assert fields["SalesPersonCode"]["lookup"] == {
        "resource": "SalesPersons",
        "filter": None,
        "shows": ["SalesEmployeeName"],
    }
    assert fields["CardCode"]["lookup"]["filter"] == "CardType eq 'cCustomer'"
    assert by_name(lines["fields"])["ItemCode"]["lookup"]["filter"] == "SalesItem eq 'tYES'"
    assert fields["DocEntry"]["lookup"] is None
    bought = by_name((await read(gateway, ana, "PurchaseOrders"))["fields"])
    assert bought["CardCode"]["lookup"]["filter"] == "CardType eq 'cSupplier'"
    # a record's own key leads nowhere else
    assert by_name((await read(gateway, ana, "Items"))["fields"])["ItemCode"]["lookup"] is None
    prices = by_name((await read(gateway, ana, "SpecialPrices"))["fields"])
    assert prices["ItemCode"]["lookup"]["resource"] == "Items"


@pytest.mark.asyncio
async def test_a_field_names_the_unit_or_currency_of_its_numbers(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    orders, items = await read(gateway, ana), await read(gateway, ana, "Items")
    fields, lines = by_name(orders["fields"]), by_name(orders["collections"])["DocumentLines"]
    assert fields["DocTotal"]["measure"] == {"kind": "amount", "by": None, "adds": True}
    assert fields["DocTotalFc"]["measure"]["by"] == "DocCurrency"
    assert fields["DocRate"]["measure"] is None
    inner = by_name(lines["fields"])
    assert inner["Quantity"]["measure"] == {"kind": "quantity", "by": "MeasureUnit", "adds": True}
    assert inner["UnitPrice"]["measure"] == {"kind": "amount", "by": "Currency", "adds": False}
    assert inner["RowTotalFC"]["measure"] == {"kind": "amount", "by": "Currency", "adds": True}
    assert inner["DiscountPercent"]["measure"] is None
    assert orders["currencies"]["local"] == "CLP"
    assert (orders["currencies"]["decimals"]["CLP"], orders["currencies"]["decimals"]["USD"]) == (0, 2)
    # the unit of what lies in each warehouse is the item's
    stock = by_name(by_name(items["collections"])["ItemWarehouseInfoCollection"]["fields"])
    assert stock["InStock"]["measure"]["by"] == "InventoryUOM"
    # without a unit at hand nobody knows what would be added up
    entries = await read(gateway, ana, "InventoryGenEntries")
    transfer = by_name(entries["collections"])
    assert all(
        field["measure"]["by"] in {None, *by_name(entries["fields"]), *by_name(each["fields"])}
        for each in transfer.values()
        for field in each["fields"]
        if field["measure"]
    )
    accounts = by_name((await read(gateway, ana, "ChartOfAccounts"))["fields"])
    assert accounts["Balance"]["measure"]["adds"] is False


@pytest.mark.asyncio
async def test_every_declared_lookup_can_be_queried(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    requested = [*LOOKUPS.values(), *(each for kind in OF_DOCUMENTS.values() for each in kind.values())]
    for lookup in requested:
        query = {"$select": ",".join(lookup.shows), "$top": "1"}
        if lookup.filter is not None:
            query["$filter"] = lookup.filter
        found = await gateway.http.get(f"/api/sl/{lookup.resource}", params=query, headers=ana)
        assert found.status_code == 200, (lookup, found.text)


@pytest.mark.asyncio
async def test_document_kinds_are_listed_with_their_number_and_partner(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    result = {each["resource"]: each for each in (await read(gateway, ana))["documents"]}
    assert result["Orders"] == {"resource": "Orders", "number": 17, "partner": "customer"}
    assert result["PurchaseOrders"]["partner"] == "supplier"
    assert result["StockTransfers"] == {"resource": "StockTransfers", "number": 67, "partner": None}
    numbers = [each["number"] for each in result.values()]
    assert len(numbers) == len(set(numbers))
    assert (await read(gateway, ana, "BusinessPartners"))["documents"] == list(result.values())
    assert (await read(gateway, ana, "Items"))["documents"] == []

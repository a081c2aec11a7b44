"""Reads of the world: pages, selection, expansion, tags, properties, options."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from erpsim.company.errors import SlError
from erpsim.company.exchange import Caller, Dialect
from erpsim.company.rows.tags import FIRST_TAG
from erpsim.company.switches import DateFormat, Switches
from erpsim.desk import Desk
from erpsim.query.options import QueryOptions
from erpsim.world import World

MANAGER = Caller(user="manager")


def page(world: World, set_name: str = "Items", **options: Any) -> list[str]:
    result = world.list(set_name, QueryOptions(**options), MANAGER)
    return [record.key for record in result.rows]


# --- pages


def test_a_page_has_at_most_twenty_rows(world: World) -> None:
    result = world.list("Items", QueryOptions(top=50, inline_count=True), MANAGER)
    assert len(result.rows) == 20
    assert (result.next_skip, result.next_top, result.count) == (20, 30, 60)


def test_pages_continue_by_skip(world: World) -> None:
    found: list[str] = []
    skip: int | None = 0
    while skip is not None:
        result = world.list("Items", QueryOptions(skip=skip), MANAGER)
        found += [record.key for record in result.rows]
        skip = result.next_skip
    assert len(found) == len(set(found)) == 60
    assert found == page(world, page_size=0)


def test_the_header_sets_the_page_and_zero_switches_paging_off(world: World) -> None:
    assert len(page(world, page_size=7)) == 7
    assert len(page(world, page_size=0)) == 60
    assert len(page(world, page_size=0, top=33)) == 33
    assert world.list("Items", QueryOptions(page_size=0), MANAGER).next_skip is None


def test_the_company_has_its_own_page_size(make_world: Callable[..., World]) -> None:
    assert len(page(make_world(switches=Switches(page_size=3)))) == 3


def test_skip_applies_before_top(world: World) -> None:
    everything = page(world, page_size=0)
    assert page(world, skip=5, top=2) == everything[5:7]
    assert page(world, skip=59) == everything[59:]
    assert page(world, skip=600) == []
    assert page(world, top=0) == []


def test_the_last_page_has_no_next(world: World) -> None:
    assert world.list("Items", QueryOptions(skip=40), MANAGER).next_skip is None
    assert world.list("Items", QueryOptions(top=20), MANAGER).next_skip is None
    assert world.list("Items", QueryOptions(skip=40, top=30), MANAGER).next_skip is None


def test_rows_are_returned_in_key_order(desk: Desk) -> None:
    desk.create("Items", {"ItemCode": "!primero"})
    codes = [str(row["ItemCode"]) for row in desk.rows("Items", select="ItemCode")]
    assert codes == sorted(codes)
    assert codes[0] == "!primero"


def test_an_empty_result_is_an_empty_list(world: World) -> None:
    result = world.list("Items", QueryOptions(filter="ItemCode eq 'nada'", inline_count=True), MANAGER)
    assert (result.rows, result.count, result.next_skip) == ([], 0, None)


def test_the_count_applies_only_the_filter(world: World) -> None:
    options = QueryOptions(filter="CardType eq 'cSupplier'", top=1, skip=3)
    assert world.count("BusinessPartners", options, MANAGER) == 5
    assert world.count("BusinessPartners", QueryOptions(), MANAGER) == 14


def test_a_header_makes_comparisons_case_insensitive(world: World) -> None:
    options = QueryOptions(filter="ItemCode eq 'n+1'")
    assert world.list("Items", options, MANAGER).rows == []
    ignoring = Caller(user="manager", case_insensitive=True)
    assert [record.key for record in world.list("Items", options, ignoring).rows] == ["'N+1'"]


@pytest.mark.proof
def test_a_filtered_list_of_5000_items_is_quick(run_alone: Callable[[str], list[float]]) -> None:
    code = """
import time
from erpsim.facts import Facts
from erpsim.query.options import QueryOptions
from erpsim.company.exchange import Caller
from erpsim.world import World

world = World(load_packaged_facts(), seed="full")
options = QueryOptions(
    filter="(startswith(ItemCode,'PVC') or contains(ItemName,'PVC')) and QuantityOnStock gt 10",
    orderby="ItemName desc",
    select="ItemCode,ItemName",
    inline_count=True,
    page_size=50,
)
world.list("Items", options, Caller(user="manager"))
times = []
for _ in range(10):
    started = time.process_time()
    result = world.list("Items", options, Caller(user="manager"))
    times.append(time.process_time() - started)
print(result.count, min(times))
"""
    count, seconds = run_alone(code)
    assert count > 50
    assert seconds < 0.03


# --- select and expand


def test_select_returns_exactly_the_named_properties(desk: Desk) -> None:
    assert desk.read("Warehouses", "01", select="WarehouseName,WarehouseCode").keys() == {
        "WarehouseCode",
        "WarehouseName",
    }


def test_select_accepts_collections_and_a_star(desk: Desk) -> None:
    assert desk.read("Orders", 1, select="DocEntry,DocumentLines").keys() == {"DocEntry", "DocumentLines"}
    assert desk.read("Orders", 1, select="*") == desk.read("Orders", 1)
    assert desk.read("Orders", 1, select="") == desk.read("Orders", 1)


@pytest.mark.parametrize(
    "text", ["NoExiste", "docentry", "TaxExtension/TaxId0", "DocumentLines/ItemCode", "DocEntry,"]
)
def test_an_unknown_name_in_select_is_refused(desk: Desk, text: str) -> None:
    name = text.rpartition(",")[2]
    refusal = desk.refusal(desk.read, "Orders", 1, select=text)
    assert (refusal.status, refusal.code) == (400, -1000)
    assert refusal.text == f"Property '{name}' of 'Document' is invalid"


def test_expand_shows_the_related_entity(desk: Desk) -> None:
    order = desk.read("Orders", 1, expand="BusinessPartner")
    partner = order["BusinessPartner"]
    assert isinstance(partner, dict)
    assert partner["CardCode"] == order["CardCode"]
    assert "BPAddresses" in partner


def test_expand_with_select_shows_both(desk: Desk) -> None:
    order = desk.read("Orders", 1, select="DocEntry,BusinessPartner/CardName", expand="BusinessPartner")
    assert order.keys() == {"DocEntry", "BusinessPartner"}
    assert isinstance(order["BusinessPartner"], dict)
    assert order["BusinessPartner"].keys() == {"CardName"}


def test_expand_accepts_a_nested_select(desk: Desk) -> None:
    order = desk.read("Orders", 1, expand="BusinessPartner($select=CardCode,CardType),SalesPerson")
    assert order["BusinessPartner"] == {"CardCode": order["CardCode"], "CardType": "cCustomer"}
    assert isinstance(order["SalesPerson"], dict)


def test_a_path_of_something_not_expanded_is_ignored(desk: Desk) -> None:
    assert desk.read("Orders", 1, select="DocEntry,BusinessPartner/CardName").keys() == {"DocEntry"}


def test_expand_to_many_gives_a_list(desk: Desk) -> None:
    person = desk.read("SalesPersons", 1, expand="BusinessPartners($select=CardCode)")
    partners = person["BusinessPartners"]
    assert isinstance(partners, list)
    assert partners
    assert all(isinstance(each, dict) and each.keys() == {"CardCode"} for each in partners)


def test_expand_without_a_related_entity_gives_null(desk: Desk) -> None:
    assert desk.read("Orders", 1, expand="Project2")["Project2"] is None


@pytest.mark.parametrize("name", ["DocumentLines", "NoExiste", "CardCode"])
def test_a_plain_property_can_not_be_expanded(desk: Desk, name: str) -> None:
    refusal = desk.refusal(desk.read, "Orders", 1, expand=name)
    assert (refusal.status, refusal.code) == (400, -1000)


@pytest.mark.parametrize("text", ["BusinessPartner(", "BusinessPartner($filter=a)", "$%"])
def test_an_expand_that_does_not_parse_is_refused(desk: Desk, text: str) -> None:
    assert desk.refusal(desk.read, "Orders", 1, expand=text).code == 201


def test_an_unknown_name_in_a_nested_select_is_refused(desk: Desk) -> None:
    refusal = desk.refusal(desk.read, "Orders", 1, expand="BusinessPartner($select=DocEntry)")
    assert refusal.text == "Property 'DocEntry' of 'BusinessPartner' is invalid"


def test_an_expand_to_an_unsimulated_set_answers_501(desk: Desk) -> None:
    assert desk.refusal(desk.read, "Orders", 1, expand="LandedCost").status == 501


# --- tags


def test_a_read_by_key_has_its_tag_in_body_and_header(world: World, desk: Desk) -> None:
    desk.change("Orders", 1, {"Comments": "x"})
    record = world.get("Orders", (1,), QueryOptions(), MANAGER)
    assert record.etag == record.header_etag == 'W/"DA4B9237BACCCDF19C0760CAB7AEC4A8359010B0"'


def test_a_selection_without_the_version_returns_the_first_tag(world: World, desk: Desk) -> None:
    desk.change("Orders", 1, {"Comments": "x"})
    blind = world.get("Orders", (1,), QueryOptions(select="DocEntry"), MANAGER)
    assert (blind.etag, blind.header_etag) == (FIRST_TAG, None)
    seeing = world.get("Orders", (1,), QueryOptions(select="DocEntry,DataVersion"), MANAGER)
    assert seeing.etag == 'W/"DA4B9237BACCCDF19C0760CAB7AEC4A8359010B0"'
    rows = world.list("Orders", QueryOptions(select="DocEntry", top=1), MANAGER).rows
    assert rows[0].etag == FIRST_TAG


def test_expand_keeps_the_tag_out_of_the_header(world: World) -> None:
    record = world.get("Orders", (1,), QueryOptions(expand="BusinessPartner"), MANAGER)
    assert record.etag == FIRST_TAG
    assert record.header_etag is None


def test_a_filter_by_key_moves_the_tag_to_the_header(world: World) -> None:
    result = world.list("Orders", QueryOptions(filter="DocEntry eq 1"), MANAGER)
    assert result.header_etag == FIRST_TAG
    assert result.rows[0].etag is None
    wider = world.list("Orders", QueryOptions(filter="DocEntry eq 1 and DocNum gt 0"), MANAGER)
    assert wider.header_etag is None
    assert wider.rows[0].etag == FIRST_TAG


@pytest.mark.parametrize(
    "set_name",
    [
        "Warehouses",
        "ItemGroups",
        "Currencies",
        "Users",
        "IncomingPayments",
        "JournalEntries",
        "EmployeesInfo",
    ],
)
def test_some_sets_have_no_tags(world: World, set_name: str) -> None:
    rows = world.list(set_name, QueryOptions(), MANAGER).rows
    assert rows
    assert {record.etag for record in rows} == {None}
    assert "DataVersion" not in rows[0].fields


def test_a_build_without_tags_has_no_version(make_world: Callable[..., World]) -> None:
    world = make_world(switches=Switches(entity_tags=False))
    record = world.get("Orders", (1,), QueryOptions(), MANAGER)
    assert (record.etag, record.header_etag) == (None, None)
    assert "DataVersion" not in record.fields
    with pytest.raises(SlError, match="Property 'DataVersion' of 'Document' is invalid"):
        world.get("Orders", (1,), QueryOptions(select="DataVersion"), MANAGER)
    world.modify("Orders", (1,), {"Comments": "x"}, MANAGER, if_match='W/"0000"')


# --- single entities and properties


def test_a_missing_record_is_a_404(desk: Desk) -> None:
    refusal = desk.refusal(desk.read, "Orders", 999999)
    assert (refusal.status, refusal.code) == (404, -2028)
    assert refusal.text == "No matching records found (ODBC -2028)"


def test_a_property_of_a_missing_record_reads_as_null(world: World) -> None:
    assert world.get_property("Orders", (999999,), "DocEntry", MANAGER) is None
    assert world.get_property("Orders", (1,), "DocEntry", MANAGER) == 1


def test_an_unknown_property_and_a_navigation_are_refused(world: World, desk: Desk) -> None:
    assert desk.refusal(world.get_property, "Orders", (1,), "NoExiste", MANAGER).code == -1000
    assert desk.refusal(world.get_property, "Orders", (1,), "BusinessPartner", MANAGER).status == 501


def test_an_unknown_set_is_a_400(desk: Desk) -> None:
    for name in ("NoExiste", "orders", "U_NADA"):
        refusal = desk.refusal(desk.rows, name)
        assert (refusal.status, refusal.code, refusal.text) == (400, 200, "Unrecognized resource path.")


def test_a_set_that_is_real_and_not_simulated_is_a_501(desk: Desk) -> None:
    assert desk.refusal(desk.rows, "ServiceCalls").status == 501


def test_whole_entities_have_every_property_of_their_type(desk: Desk) -> None:
    order = desk.read("Orders", 1)
    assert list(order) == list(desk.world.facts.entity_sets["Orders"].type.properties)
    assert order["Handwritten" if "Handwritten" in order else "HandWritten"] == "tNO"
    assert order["WTApplied"] == Decimal("0.0")
    assert order["Project"] is None
    assert isinstance(order["TaxExtension"], dict)
    assert order["DocumentPackages"] == []


def test_the_date_format_follows_the_switch(make_world: Callable[..., World]) -> None:
    plain = Desk(make_world(switches=Switches(date_format=DateFormat.PLAIN)))
    assert plain.read("Orders", 1, select="DocDate") == {"DocDate": "2025-11-03"}
    assert Desk(make_world()).read("Orders", 1)["DocDate"] == "2025-11-03T00:00:00Z"


def test_v2_renames_properties_named_like_their_type(desk: Desk, desk_v2: Desk) -> None:
    body = {"DocumentTypeParams": {"Document": "17", "DocumentSubType": ""}}
    series = desk_v2.service("SeriesService_GetDefaultSeries", body)
    assert isinstance(series, dict)
    assert "SeriesProperty" in series
    assert "Series" not in series
    plain = desk.service("SeriesService_GetDefaultSeries", body)
    assert isinstance(plain, dict)
    assert plain["Series"] == series["SeriesProperty"]


def test_v2_property_names_are_accepted_in_bodies(desk_v2: Desk) -> None:
    made = desk_v2.create("Activities", {"CardCode": "C00001", "ActivityProperty": "cn_Meeting"})
    assert made["ActivityProperty"] == "cn_Meeting"


def test_a_users_password_reads_as_null_in_every_form(desk: Desk) -> None:
    made = desk.create("Users", {"UserCode": "nuevo", "UserPassword": "Secreta1"})
    assert made["UserPassword"] is None
    key = made["InternalKey"]
    assert isinstance(key, int)
    assert desk.read("Users", key, select="UserPassword") == {"UserPassword": None}
    assert desk.world.get_property("Users", (key,), "UserPassword", MANAGER) is None
    assert "Secreta1" not in repr(desk.world.get("Users", (key,), QueryOptions(), MANAGER))


# --- options as sent


@pytest.mark.parametrize(
    ("pairs", "dialect"),
    [
        ([("$top", "-1")], Dialect.V1),
        ([("$top", "1_0")], Dialect.V1),
        ([("$skip", "x")], Dialect.V1),
        ([("$inlinecount", "some")], Dialect.V1),
        ([("$count", "true")], Dialect.V1),
        ([("$count", "yes")], Dialect.V2),
        ([("$top", "1"), ("$top", "2")], Dialect.V1),
        ([("$unknown", "1")], Dialect.V2),
    ],
)
def test_invalid_options_are_refused(pairs: list[tuple[str, str]], dialect: Dialect) -> None:
    with pytest.raises(SlError) as caught:
        QueryOptions.parse(pairs, dialect)
    assert (caught.value.status, caught.value.code) == (400, 201)


@pytest.mark.parametrize("name", ["$search", "$skiptoken"])
def test_unsimulated_options_answer_501(name: str) -> None:
    with pytest.raises(SlError) as caught:
        QueryOptions.parse([(name, "x")], Dialect.V1)
    assert caught.value.status == 501


def test_options_are_read_as_sent() -> None:
    pairs = [("$filter", "A eq 1"), ("$top", "5"), ("$skip", "0"), ("$inlinecount", "allpages"), ("x", "1")]
    options = QueryOptions.parse(pairs, Dialect.V1, page_size=0)
    assert (options.filter, options.top, options.skip) == ("A eq 1", 5, 0)
    assert options.inline_count
    assert options.page_size == 0
    assert QueryOptions.parse([("$inlinecount", "none")], Dialect.V1).inline_count is False
    assert QueryOptions.parse([("$count", "true")], Dialect.V2).inline_count is True
    assert QueryOptions.parse([("$inlinecount", "allpages")], Dialect.V2).inline_count is True


def test_v2_property_names_are_accepted_only_in_v2_queries(desk: Desk, desk_v2: Desk) -> None:
    for kind in ("cn_Meeting", "cn_Task"):
        desk.create("Activities", {"CardCode": "C00001", "Activity": kind})
    body = {"filter": "ActivityProperty eq 'cn_Task'", "orderby": "ActivityProperty desc"}
    assert desk_v2.rows("Activities", select="ActivityProperty", **body) == [{"ActivityProperty": "cn_Task"}]
    assert desk_v2.rows("Activities", select="Activity")[0] == {"ActivityProperty": "cn_Meeting"}
    assert desk.refusal(desk.rows, "Activities", filter="ActivityProperty eq 'M'").code == 201
    assert desk.refusal(desk.rows, "Activities", orderby="ActivityProperty").code == 201
    assert desk.refusal(desk.rows, "Activities", select="ActivityProperty").code == -1000


def test_sorting_by_a_password_is_refused(desk: Desk) -> None:
    assert desk.refusal(desk.rows, "Users", orderby="UserPassword").code == 201

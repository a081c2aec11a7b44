"""Writes that no object's own rules concern: names, types, keys, tags, rights, transactions."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from erpsim.company.errors import SlError
from erpsim.company.exchange import Fields, WriteMode
from erpsim.company.rows.merging import rows_of
from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.query.options import QueryOptions
from erpsim.world import World

# --- names and types


def test_an_unknown_property_is_refused_with_its_type(desk: Desk) -> None:
    for body, text in (
        ({"NoExiste": 1}, "Property 'NoExiste' of 'Item' is invalid"),
        ({"itemname": "x"}, "Property 'itemname' of 'Item' is invalid"),
        ({"ItemPrices": [{"Precio": 1}]}, "Property 'Precio' of 'ItemPrice' is invalid"),
        ({"ItemIntrastatExtension": {"X": 1}}, "Property 'X' of 'ItemIntrastatExtension' is invalid"),
        ({"U_NO_EXISTE": "x"}, "Property 'U_NO_EXISTE' of 'Item' is invalid"),
    ):
        refusal = desk.refusal(desk.change, "Items", "A/1", body)
        assert (refusal.status, refusal.code, refusal.text) == (400, -1000, text)


def test_read_only_properties_and_annotations_are_ignored_silently(desk: Desk) -> None:
    body = {
        "QuantityOnStock": 999999,
        "DataVersion": 77,
        "odata.etag": 'W/"x"',
        "@odata.etag": 'W/"x"',
        "odata.metadata": "x",
        "ItemName@odata.type": "x",
        "ItemName": "Nuevo nombre",
    }
    before = desk.read("Items", "A/1")
    desk.change("Items", "A/1", body)
    after = desk.read("Items", "A/1")
    assert after["ItemName"] == "Nuevo nombre"
    assert after["QuantityOnStock"] == before["QuantityOnStock"]
    assert after["DataVersion"] == 2


@pytest.mark.parametrize(
    ("name", "sent", "stored"),
    [
        ("ItemName", "Ñandú & co", "Ñandú & co"),
        ("ItemName", 5, "5"),
        ("ItemName", None, None),
        ("ItemsGroupCode", "101", 101),
        ("ItemsGroupCode", Decimal("101.0"), 101),
        ("MinInventory", "1234567890.123456", Decimal("1234567890.123456")),
        ("MinInventory", 7, Decimal("7.0")),
        ("MinInventory", Decimal("100.10"), Decimal("100.1")),
        ("MinInventory", Decimal("1E+2"), Decimal("100.0")),
        ("MinInventory", None, None),
        ("InventoryItem", "tNO", "tNO"),
        ("InventoryItem", "N", "tNO"),
        ("ValidFrom", "2014-04-23", "2014-04-23T00:00:00Z"),
        ("ValidFrom", "20140423", "2014-04-23T00:00:00Z"),
        ("ValidFrom", "2014-04-23T23:59:59Z", "2014-04-23T00:00:00Z"),
        ("ValidFrom", None, None),
    ],
)
def test_each_accepted_form_of_a_value_is_stored(desk: Desk, name: str, sent: object, stored: object) -> None:
    desk.change("Items", "A/1", {name: sent})
    value = desk.read("Items", "A/1")[name]
    assert (value, type(value), str(value)) == (stored, type(stored), str(stored))


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("ItemsGroupCode", "abc", "abc"),
        ("ItemsGroupCode", Decimal("1.5"), "1.5"),
        ("ItemsGroupCode", 3000000000, "3000000000"),
        ("ItemsGroupCode", True, "True"),
        ("MinInventory", "1,5", "1,5"),
        ("MinInventory", "NaN", "NaN"),
        ("MinInventory", Decimal("Infinity"), "Infinity"),
        ("MinInventory", 10**15, "1000000000000000"),
        ("InventoryItem", "quizás", "quizás"),
        ("InventoryItem", True, "True"),
        ("ValidFrom", "", ""),
        ("ValidFrom", "2014-02-31", "2014-02-31"),
        ("ValidFrom", 20140423, "20140423"),
        ("ItemName", ["x"], "['x']"),
        ("ItemPrices", {"PriceList": 1}, "{'PriceList': 1}"),
        ("ItemPrices", ["x"], "x"),
        ("ItemIntrastatExtension", "x", "x"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(desk: Desk, name: str, value: object, shown: str) -> None:
    refusal = desk.refusal(desk.change, "Items", "A/1", {name: value})
    assert (refusal.status, refusal.code) == (400, -1004)
    assert refusal.text == f"'{shown}' is not a valid value for property '{name}'"


def test_a_user_field_accepts_only_its_valid_values(desk: Desk) -> None:
    desk.change("Orders", 1, {"U_CANAL": "TEL"})
    for value in ("", "FAX"):
        refusal = desk.refusal(desk.change, "Orders", 1, {"U_CANAL": value})
        assert (refusal.code, refusal.text) == (
            -1004,
            f"'{value}' is not a valid value for property 'U_CANAL'",
        )
    desk.change("Orders", 1, {"U_CANAL": None})
    assert desk.read("Orders", 1)["U_CANAL"] is None
    lines = {"DocumentLines": [{"LineNum": 0, "U_NOTA_BODEGA": "cualquier texto"}]}
    desk.change("Orders", 1, lines)


def test_a_code_that_does_not_exist_is_refused(desk: Desk) -> None:
    refusal = desk.refusal(desk.change, "Items", "A/1", {"ItemsGroupCode": 999})
    assert (refusal.status, refusal.code) == (400, -2028)
    desk.change("BusinessPartners", "C00001", {"SalesPersonCode": -1, "Currency": "##", "ProjectCode": ""})


# --- keys


@pytest.mark.parametrize(
    ("set_name", "text", "key"),
    [
        ("Orders", "22", (22,)),
        ("Orders", "DocEntry=22", (22,)),
        ("Items", "'i1'", ("i1",)),
        ("Items", "ItemCode='O''HIGGINS-10'", ("O'HIGGINS-10",)),
        ("Items", "'A/1 % ? # + ñ,='", ("A/1 % ? # + ñ,=",)),
        ("Items", "'007'", ("007",)),
        ("UserFieldsMD", "TableName='@X',FieldID=0", ("@X", 0)),
        ("UserFieldsMD", "FieldID=0,TableName='@X'", ("@X", 0)),
        ("JournalEntries", "JdtNum=5", (5,)),
    ],
)
def test_keys_are_read_in_all_their_forms(
    desk: Desk, set_name: str, text: str, key: tuple[object, ...]
) -> None:
    assert desk.world.parse_key(set_name, text) == key


@pytest.mark.parametrize(
    ("set_name", "text"),
    [
        ("Items", "i1"),
        ("Items", "007"),
        ("Items", "'i1"),
        ("Items", "'O'Higgins'"),
        ("Items", ""),
        ("Items", "Code='x'"),
        ("Items", "'a','b'"),
        ("Orders", "'22'"),
        ("Orders", "2.2"),
        ("Orders", "99999999999"),
        ("Orders", "DocEntry=1,DocEntry=2"),
        ("Orders", "1,"),
        ("UserFieldsMD", "'@X',0"),
        ("UserFieldsMD", "TableName='@X'"),
    ],
)
def test_a_key_of_the_wrong_form_is_a_400(desk: Desk, set_name: str, text: str) -> None:
    assert desk.refusal(desk.world.parse_key, set_name, text).status == 400


def test_a_record_has_its_key_in_address_form(desk: Desk) -> None:
    assert desk.world.create("Items", {"ItemCode": "A'Ñ"}, desk.caller).key == "'A''Ñ'"
    fields = desk.world.list("UserFieldsMD", QueryOptions(top=1), desk.caller).rows
    assert fields[0].key.startswith("TableName='")
    assert ",FieldID=0" in fields[0].key


def test_an_existing_key_is_refused_with_the_text_of_its_object(desk: Desk) -> None:
    for set_name, body, code, text in (
        ("Items", {"ItemCode": "A/1"}, -10, "Item code 'A/1' already exists"),
        (
            "BusinessPartners",
            {"CardCode": "C00001"},
            -10,
            (
                "1320000140 - Business partner code 'C00001' already assigned to a business partner; "
                "enter a unique business partner code"
            ),
        ),
        (
            "Warehouses",
            {"WarehouseCode": "01"},
            -2035,
            "This entry already exists in the following tables (ODBC -2035)",
        ),
        ("Users", {"UserCode": "manager"}, -2035, "This entry already exists"),
    ):
        refusal = desk.refusal(desk.create, set_name, body)
        assert (refusal.status, refusal.code) == (400, code)
        assert refusal.text.startswith(text)


def test_a_missing_code_is_refused_and_a_missing_number_is_assigned(desk: Desk) -> None:
    assert desk.refusal(desk.create, "Warehouses", {"WarehouseName": "Sin código"}).code == -5002
    assert desk.create("ItemGroups", {"GroupName": "Nuevo"})["Number"] == 109


def test_a_key_can_not_be_changed(desk: Desk) -> None:
    desk.change("Items", "A/1", {"ItemCode": "A/1", "ItemName": "x"})
    assert desk.refusal(desk.change, "Items", "A/1", {"ItemCode": "B"}).code == -1029


# --- partners and items


def test_a_new_partner_gets_the_defaults_of_the_client(desk: Desk) -> None:
    made = desk.create(
        "BusinessPartners",
        {
            "CardCode": "C9",
            "CardName": "Nueve",
            "ContactEmployees": [{"Name": "Uno"}, {"Name": "Dos"}],
            "BPAddresses": [{"AddressName": "Casa"}],
        },
    )
    assert (made["CardType"], made["GroupCode"], made["Currency"]) == ("cCustomer", 100, "CLP")
    assert made["DebitorAccount"] == "1.1.03.001"
    contacts = rows_of(made, "ContactEmployees")
    assert [row["InternalCode"] for row in contacts] == [15, 16]
    assert {row["CardCode"] for row in contacts} == {"C9"}
    assert rows_of(made, "BPAddresses")[0]["BPCode"] == "C9"
    desk.change("BusinessPartners", "C9", {"ContactEmployees": [{"InternalCode": 16, "Name": "Tres"}]})
    names = [row["Name"] for row in rows_of(desk.read("BusinessPartners", "C9"), "ContactEmployees")]
    assert names == ["Uno", "Tres"]


def test_a_contact_added_later_gets_its_own_number(desk: Desk) -> None:
    kept = rows_of(desk.read("BusinessPartners", "C00001"), "ContactEmployees")[0]["InternalCode"]
    body = {"ContactEmployees": [{"InternalCode": kept}, {"Name": "Otra"}]}
    desk.change("BusinessPartners", "C00001", body)
    contacts = rows_of(desk.read("BusinessPartners", "C00001"), "ContactEmployees")
    assert [row["InternalCode"] for row in contacts] == [kept, 15]


def test_a_new_item_has_a_row_per_price_list_and_warehouse(desk: Desk) -> None:
    made = desk.create("Items", {"ItemCode": "N", "ItemPrices": [{"PriceList": 2, "Price": 5}]})
    prices = {row["PriceList"]: row["Price"] for row in rows_of(made, "ItemPrices")}
    assert prices == {1: Decimal("0.0"), 2: Decimal("5.0"), 3: Decimal("0.0"), 4: Decimal("0.0")}
    assert [row["WarehouseCode"] for row in rows_of(made, "ItemWarehouseInfoCollection")] == ["01"]


def test_records_with_transactions_can_not_be_removed(desk: Desk) -> None:
    order = desk.read("Orders", 1)
    item = rows_of(order, "DocumentLines")[0]["ItemCode"]
    assert desk.refusal(desk.delete, "Items", str(item)).code == -10
    assert desk.refusal(desk.delete, "BusinessPartners", str(order["CardCode"])).code == -10


def test_records_without_transactions_can_be_removed(desk: Desk) -> None:
    desk.create("Items", {"ItemCode": "N"})
    desk.delete("Items", "N")
    assert desk.refusal(desk.read, "Items", "N").status == 404
    desk.create("BusinessPartners", {"CardCode": "N"})
    desk.delete("BusinessPartners", "N")
    assert desk.refusal(desk.delete, "BusinessPartners", "N").status == 404


def test_put_resets_unsent_fields(desk: Desk) -> None:
    desk.change("Warehouses", "02", {"WarehouseName": "Solo"}, mode=WriteMode.REPLACE)
    after = desk.read("Warehouses", "02")
    assert (after["WarehouseCode"], after["WarehouseName"], after["City"]) == ("02", "Solo", None)


# --- tags


@pytest.mark.parametrize(
    ("if_match", "passes"),
    [
        (None, True),
        ("*", True),
        ('W/"356A192B7913B04C54574D18C28D46E6395428AB"', True),
        ('W/"DA4B9237BACCCDF19C0760CAB7AEC4A8359010B0"', False),
        ('W/""', False),
        ('"356A192B7913B04C54574D18C28D46E6395428AC"', True),
        ("356A192B", True),
        ("W/356A", True),
    ],
    ids=["none", "star", "current", "stale", "empty", "strong", "bare", "unquoted"],
)
@pytest.mark.parametrize("way", ["change", "action", "delete"])
def test_only_a_weak_stale_tag_stops_a_write(
    desk: Desk, if_match: str | None, passes: bool, way: str
) -> None:
    body = {"CardCode": "C00001", "DocObjectCode": "17", "DocumentLines": [{"ItemCode": "A/1"}]}
    entry = desk.create("Drafts" if way == "delete" else "Orders", body)["DocEntry"]
    assert isinstance(entry, int)
    calls: dict[str, Callable[[], object]] = {
        "change": lambda: desk.change("Orders", entry, {"Comments": "x"}, if_match=if_match),
        "action": lambda: desk.act("Orders", entry, "Close", if_match=if_match),
        "delete": lambda: desk.delete("Drafts", entry, if_match=if_match),
    }
    if passes:
        calls[way]()
        return
    refusal = desk.refusal(calls[way])
    assert (refusal.status, refusal.code) == (412, -2039)
    assert refusal.text.startswith("Another user or another operation modified data")


def test_a_set_without_tags_ignores_if_match(desk: Desk) -> None:
    desk.change("Warehouses", "01", {"WarehouseName": "x"}, if_match='W/"0"')


# --- rights and actions


@pytest.mark.parametrize("set_name", ["Users", "SQLQueries", "UserFieldsMD", "UserTablesMD"])
def test_a_normal_user_reads_and_does_not_write_definitions(warehouse_desk: Desk, set_name: str) -> None:
    warehouse_desk.rows(set_name)
    refusal = warehouse_desk.refusal(warehouse_desk.create, set_name, {})
    assert (refusal.status, refusal.code) == (403, -6006)
    assert refusal.text == "You are not permitted to perform this action"


def test_an_unknown_action_is_refused_and_an_unsimulated_one_answers_501(desk: Desk) -> None:
    refusal = desk.refusal(desk.act, "Orders", 1, "DocumentLines")
    assert (refusal.status, refusal.code, refusal.text) == (400, -1008, "Command Not Found")
    assert desk.refusal(desk.act, "Items", "A/1", "Cancel").status == 501


# --- transactions


def test_a_change_set_is_atomic(desk: Desk) -> None:
    with desk.world.transaction():
        desk.create("Items", {"ItemCode": "UNO"})
        desk.change("Items", "A/1", {"ItemName": "cambiado"})
    assert desk.read("Items", "A/1")["ItemName"] == "cambiado"

    def failing() -> None:
        with desk.world.transaction():
            desk.create("Items", {"ItemCode": "DOS"})
            desk.change("Items", "A/1", {"ItemName": "otra vez"})
            desk.delete("Items", "UNO")
            desk.create("Items", {"ItemCode": "A/1"})

    assert desk.refusal(failing).code == -10
    assert desk.refusal(desk.read, "Items", "DOS").status == 404
    assert desk.read("Items", "A/1")["ItemName"] == "cambiado"
    assert desk.read("Items", "UNO")["ItemCode"] == "UNO"


def test_a_caught_refusal_inside_a_change_set_undoes_only_itself(desk: Desk) -> None:
    with desk.world.transaction():
        desk.create("Items", {"ItemCode": "UNO"})
        with pytest.raises(SlError):
            desk.create("Items", {"ItemCode": "UNO"})
    assert desk.read("Items", "UNO")["ItemCode"] == "UNO"


def test_a_reset_restores_the_seed(desk: Desk) -> None:
    before: Fields = desk.read("Items", "A/1")
    desk.change("Items", "A/1", {"ItemName": "x"})
    desk.world.reset()
    assert desk.read("Items", "A/1") == before


# --- time


@pytest.mark.parametrize(
    ("zone", "day", "time"),
    [("Pacific/Auckland", "2026-01-16", "01:34:00"), ("America/Santiago", "2026-01-15", "09:34:00")],
)
def test_rows_carry_the_wall_clock_of_the_company(
    make_world: Callable[..., World], zone: str, day: str, time: str
) -> None:
    desk = Desk(make_world(switches=Switches(timezone=ZoneInfo(zone))))  # at 12:34 UTC on 15 January
    body = {"CardCode": "C00001", "DocDueDate": "2026-02-01"}
    order = desk.create("Orders", {**body, "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}]})
    assert (str(order["CreationDate"])[:10], str(order["DocDate"])[:10], order["UpdateTime"]) == (
        day,
        day,
        time,
    )

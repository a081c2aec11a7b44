"""Transfers, services, logins, user objects."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from erpsim.business.journal import Booking, JournalEntryRules, Voucher, post
from erpsim.business.rates import decimals
from erpsim.business.rules import Modification, Operation, ReadOnlyRules
from erpsim.company.errors import SlError
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.switches import Switches, WrongLogin
from erpsim.desk import Desk
from erpsim.facts import load_own_facts
from erpsim.seeds import ERP_USERS
from erpsim.seeds.settings import primary_series
from erpsim.world import World

# --- stock transfers


def in_stock(desk: Desk, item: str) -> dict[object, Value]:
    rows = rows_of(desk.read("Items", item), "ItemWarehouseInfoCollection")
    return {row["WarehouseCode"]: row["InStock"] for row in rows}


@pytest.fixture
def transfer(desk: Desk, item: str) -> Fields:
    body = {
        "FromWarehouse": "01",
        "ToWarehouse": "02",
        "StockTransferLines": [{"ItemCode": item, "Quantity": 30}, {"ItemCode": item, "WarehouseCode": "03"}],
    }
    return desk.create("StockTransfers", body)


def entry(document: Fields) -> int:
    value = document["DocEntry"]
    assert isinstance(value, int)
    return value


def test_a_transfer_moves_goods_between_warehouses(desk: Desk, item: str, transfer: Fields) -> None:
    assert in_stock(desk, item) == {"01": Decimal("69.0"), "02": Decimal("30.0"), "03": Decimal("1.0")}
    assert desk.read("Items", item)["QuantityOnStock"] == Decimal("100.0")
    assert transfer["DocumentStatus"] == "bost_Close"


def test_cancelling_a_transfer_moves_them_back_once(desk: Desk, item: str, transfer: Fields) -> None:
    desk.act("StockTransfers", entry(transfer), "Cancel")
    assert in_stock(desk, item)["01"] == Decimal("100.0")
    assert desk.refusal(desk.act, "StockTransfers", entry(transfer), "Cancel").code == -5006
    assert desk.refusal(desk.act, "StockTransfers", entry(transfer) + 1, "Cancel").code == -5006
    assert desk.refusal(desk.act, "StockTransfers", entry(transfer), "Close").code == -5006


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"StockTransferLines": []}, -5002),
        ({"StockTransferLines": [{"ItemCode": "NADA"}]}, -2028),
        ({"StockTransferLines": [{"ItemCode": "TEST-1", "WarehouseCode": "99"}]}, -2028),
        ({"StockTransferLines": [{"ItemCode": "TEST-1", "Quantity": 0}]}, -5002),
        ({"StockTransferLines": [{"ItemCode": "TEST-1", "Quantity": 101}]}, -10),
    ],
)
def test_a_broken_transfer_is_refused(desk: Desk, item: str, body: Fields, code: int) -> None:
    whole = {"FromWarehouse": "01", "ToWarehouse": "02", **body}
    assert desk.refusal(desk.create, "StockTransfers", whole).code == code
    assert in_stock(desk, item)["01"] == Decimal("100.0")


def test_negative_stock_is_a_switch(desk: Desk, item: str) -> None:
    desk.world.switches = Switches(negative_stock=True)
    lines = [{"ItemCode": item, "Quantity": 101}]
    desk.create("StockTransfers", {"FromWarehouse": "01", "ToWarehouse": "02", "StockTransferLines": lines})
    assert in_stock(desk, item)["01"] == Decimal("-1.0")


def test_a_transfer_takes_texts_only_and_is_not_removed(desk: Desk, transfer: Fields) -> None:
    desk.change("StockTransfers", entry(transfer), {"Comments": "x", "DocDate": "2026-01-15"})
    assert desk.read("StockTransfers", entry(transfer))["Comments"] == "x"
    for body, code in (
        ({"DocDate": "2026-01-01"}, -1029),
        ({"StockTransferLines": [{"LineNum": 0, "Quantity": 1}]}, -1),
    ):
        assert desk.refusal(desk.change, "StockTransfers", entry(transfer), body).code == code
    assert desk.refusal(desk.delete, "StockTransfers", entry(transfer)).code == -5006
    refusal = desk.refusal(desk.act, "StockTransfers", entry(transfer), "SaveDraftToDocument")
    assert refusal.status == 501


def test_a_request_moves_nothing_and_is_closed(desk: Desk, item: str) -> None:
    lines = [{"ItemCode": item, "Quantity": 30}]
    body = {"FromWarehouse": "01", "ToWarehouse": "02", "StockTransferLines": lines}
    made = desk.create("InventoryTransferRequests", body)
    assert in_stock(desk, item)["01"] == Decimal("100.0")
    desk.act("InventoryTransferRequests", entry(made), "Close")
    assert desk.read("InventoryTransferRequests", entry(made))["DocumentStatus"] == "bost_Close"
    assert desk.refusal(desk.act, "InventoryTransferRequests", entry(made), "Close").code == -5006


# --- stock


def test_goods_that_come_in_change_the_average_cost(desk: Desk, supplier: str, item: str) -> None:
    line = {"ItemCode": item, "Quantity": 100, "UnitPrice": 700}
    desk.create("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": [line]})
    assert desk.read("Items", item)["MovingAveragePrice"] == Decimal("650.0")
    body = {"CardCode": "C00001", "DocumentLines": [{"ItemCode": item, "Quantity": 2}]}
    desk.create("DeliveryNotes", body)
    posted = rows_of(desk.rows("JournalEntries")[-1], "JournalEntryLines")
    assert {str(row["AccountCode"]): row["Debit"] for row in posted if row["Debit"]} == {
        "5.1.01.001": Decimal("1300.0")
    }


def test_a_service_item_moves_no_stock(desk: Desk) -> None:
    desk.create("Items", {"ItemCode": "FLETE", "InventoryItem": "tNO"})
    body = {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "FLETE", "UnitPrice": 10}]}
    desk.create("DeliveryNotes", body)
    desk.create("Orders", body)
    assert desk.read("Items", "FLETE")["QuantityOnStock"] == Decimal("0.0")
    assert desk.read("Items", "FLETE")["QuantityOrderedByCustomers"] == Decimal("0.0")


# --- services


def test_series_of_an_object_are_listed_by_number_or_text(desk: Desk) -> None:
    for document in (21, "21"):
        found = desk.service(
            "SeriesService_GetDocumentSeries",
            {"DocumentTypeParams": {"Document": document, "DocumentSubType": ""}},
        )
        assert isinstance(found, list)
        assert [row["Name"] for row in found if isinstance(row, dict)] == ["Primario", "Web"]
        first = found[0]
        assert isinstance(first, dict)
        assert (first["Document"], first["Locked"], first["GroupCode"]) == ("21", "tNO", "sg_Group1")
        assert "$default" not in first


def test_the_default_series_gives_the_next_number(desk: Desk) -> None:
    body = {"DocumentTypeParams": {"Document": "17"}}
    series = desk.service("SeriesService_GetDefaultSeries", body)
    assert isinstance(series, dict)
    order = desk.create("Orders", {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1"}]})
    assert (order["Series"], order["DocNum"]) == (series["Series"], series["NextNumber"])
    again = desk.service("SeriesService_GetSeries", {"SeriesParams": {"Series": series["Series"]}})
    assert isinstance(again, dict)
    assert again["NextNumber"] == int(str(series["NextNumber"])) + 1


def test_an_object_without_series_has_none(desk: Desk) -> None:
    body = {"DocumentTypeParams": {"Document": "LIB_ODEV"}}
    assert desk.service("SeriesService_GetDocumentSeries", body) == []


@pytest.mark.parametrize("body", [{}, {"DocumentTypeParams": {}}, {"DocumentTypeParams": {"Document": True}}])
def test_broken_series_parameters_are_refused(desk: Desk, body: Fields) -> None:
    assert desk.refusal(desk.service, "SeriesService_GetDocumentSeries", body).code == -1004


def test_an_unknown_series_is_refused(desk: Desk) -> None:
    body = {"SeriesParams": {"Series": 999}}
    assert desk.refusal(desk.service, "SeriesService_GetSeries", body).code == -2028


def test_the_company_tells_about_itself(make_world: Callable[..., World]) -> None:
    desk = Desk(make_world(switches=Switches(version="1000340", company_name="Ñandú SpA", branches=True)))
    info, admin = desk.service("CompanyService_GetCompanyInfo"), desk.service("CompanyService_GetAdminInfo")
    assert isinstance(info, dict)
    assert isinstance(admin, dict)
    assert (info["Version"], info["CompanyName"]) == (1000340, "Ñandú SpA")
    assert info["EnableTransactionNotification"] == "tYES"
    assert (admin["LocalCurrency"], admin["DefaultWarehouse"], admin["EnableBranches"]) == (
        "CLP",
        "01",
        "tYES",
    )
    assert not any(name.startswith("$") for name in admin)
    assert admin["ServicePassword"] is None


def test_currencies_and_rates(desk: Desk) -> None:
    assert desk.service("SBOBobService_GetLocalCurrency") == "CLP"
    assert desk.service("SBOBobService_GetSystemCurrency") == "CLP"
    assert desk.service("SBOBobService_GetCurrencyRate", {"Currency": "CLP", "Date": "20251201"}) == 1
    known = desk.service("SBOBobService_GetCurrencyRate", {"Currency": "USD", "Date": "2025-12-01"})
    assert isinstance(known, Decimal)
    assert 700 < known < 1100
    body = {"Currency": "USD", "RateDate": "20260110", "Rate": "912.34"}
    assert desk.service("SBOBobService_SetCurrencyRate", body) is None
    for day in ("20260110", "20260115"):
        found = desk.service("SBOBobService_GetCurrencyRate", {"Currency": "USD", "Date": day})
        assert found == Decimal("912.34")


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("SBOBobService_GetCurrencyRate", {"Currency": "USD", "Date": "mañana"}, -1004),
        ("SBOBobService_GetCurrencyRate", {"Currency": "USD", "Date": "19990101"}, -10),
        ("SBOBobService_GetCurrencyRate", {"Currency": "XXX", "Date": "20251201"}, -10),
        ("SBOBobService_SetCurrencyRate", {"Currency": "USD", "RateDate": "20260110", "Rate": "0"}, -1004),
        ("SBOBobService_SetCurrencyRate", {"Currency": "XXX", "RateDate": "20260110", "Rate": "1"}, -2028),
        ("DraftsService_SaveDraftToDocument", {"Document": {"DocEntry": 5}}, -2028),
        ("SBOBobService_GetDueDate", {}, -1),
        ("NoExiste_Service", {}, -1002),
    ],
)
def test_services_refuse_what_they_can_not_do(desk: Desk, name: str, body: Fields, code: int) -> None:
    assert desk.refusal(desk.service, name, body).code == code


# --- logins


@pytest.mark.parametrize("user", ["manager", "bodega"])
def test_known_users_log_in(world: World, user: str) -> None:
    assert world.authenticate("SBO_DEMO", user, ERP_USERS[user]) == user


@pytest.mark.parametrize(
    ("user", "password"),
    [("manager", "wrong"), ("manager", ""), ("nobody", "erpsim"), ("Manager", "erpsim"), ("", "")],
)
def test_wrong_credentials_are_refused_as_the_switch_says(desk: Desk, user: str, password: str) -> None:
    refusal = desk.refusal(desk.world.authenticate, "SBO_DEMO", user, password)
    assert (refusal.status, refusal.code, refusal.text) == (401, 100000027, "Login failed")
    desk.world.switches = Switches(wrong_login=WrongLogin.SLD)
    refusal = desk.refusal(desk.world.authenticate, "SBO_DEMO", user, password)
    assert (refusal.status, refusal.code) == (401, -304)
    assert refusal.text == "Fail to get DB Credentials from SLD"


def test_company_trouble_is_a_500(desk: Desk) -> None:
    refusal = desk.refusal(desk.world.authenticate, "OTRA", "manager", "erpsim")
    assert (refusal.status, refusal.code, refusal.text) == (500, 305, "Switch company error: -5027")
    desk.world.switches = Switches(company_error=-1102)
    refusal = desk.refusal(desk.world.authenticate, "SBO_DEMO", "manager", "erpsim")
    assert refusal.text == "Switch company error: -1102"


def test_a_new_user_logs_in_with_the_password_given_and_a_locked_one_does_not(desk: Desk) -> None:
    made = desk.create("Users", {"UserCode": "nuevo", "UserPassword": "Uno"})
    desk.world.authenticate("SBO_DEMO", "nuevo", "Uno")
    key = int(str(made["InternalKey"]))
    desk.change("Users", key, {"UserPassword": "Dos"})
    desk.world.authenticate("SBO_DEMO", "nuevo", "Dos")
    assert desk.refusal(desk.world.authenticate, "SBO_DEMO", "nuevo", "Uno").status == 401
    desk.change("Users", key, {"Locked": "tYES"})
    assert desk.refusal(desk.world.authenticate, "SBO_DEMO", "nuevo", "Dos").status == 401


# --- user objects


@pytest.fixture
def own_desk(tmp_path: Path) -> Desk:
    """A company with a document object `LIB_ODEV`, its rows, and a user table."""
    path = tmp_path / "own.xml"
    path.write_text(OWN, encoding="utf-8")
    return Desk(World(load_own_facts(path), seed="empty"))


OWN = """<Edmx><Schema Namespace="SAPB1">
 <ComplexType Name="Table2TypeMapping"><Property Table="@LIB_ODEV" Type="SAPB1.LIB_ODEV"/></ComplexType>
 <ComplexType Name="LIB_DEV1"><Property Name="DocEntry" Type="Edm.Int32"/>
  <Property Name="LineId" Type="Edm.Int32"/><Property Name="U_QTY" Type="Edm.Double"/></ComplexType>
 <EntityType Name="LIB_ODEV"><Key><PropertyRef Name="DocEntry"/></Key>
  <Property Name="DocEntry" Type="Edm.Int32" Writable="false"/><Property Name="DocNum" Type="Edm.Int32"/>
  <Property Name="Status" Type="Edm.String"/><Property Name="Canceled" Type="Edm.String"/>
  <Property Name="Handwrtten" Type="Edm.String"/><Property Name="Creator" Type="Edm.String"/>
  <Property Name="UpdateTime" Type="Edm.Time"/><Property Name="U_NOTA" Type="Edm.String"/>
  <Property Name="LIB_DEV1Collection" Type="Collection(SAPB1.LIB_DEV1)"/></EntityType>
 <EntityType Name="NOTA"><Key><PropertyRef Name="Code"/></Key>
  <Property Name="Code" Type="Edm.String"/><Property Name="U_TEXTO" Type="Edm.String"/></EntityType>
 <EntityContainer><EntitySet Name="LIB_ODEV" EntityType="SAPB1.LIB_ODEV"/>
  <EntitySet Name="U_NOTA" EntityType="SAPB1.NOTA"/>
  <FunctionImport Name="Close" IsBindable="true"><Parameter Name="P" Type="SAPB1.LIB_ODEV"/></FunctionImport>
  <FunctionImport Name="Cancel" IsBindable="true"><Parameter Name="P" Type="SAPB1.LIB_ODEV"/></FunctionImport>
  <FunctionImport Name="Odd" IsBindable="true"><Parameter Name="P" Type="SAPB1.LIB_ODEV"/></FunctionImport>
 </EntityContainer></Schema></Edmx>
"""


def test_a_document_object_has_its_own_spellings_and_letters(own_desk: Desk) -> None:
    made = own_desk.create("LIB_ODEV", {"U_NOTA": "x", "LIB_DEV1Collection": [{"U_QTY": 1}, {"U_QTY": "2"}]})
    assert (made["DocEntry"], made["DocNum"], made["Status"], made["Canceled"]) == (1, 1, "O", "N")
    assert (made["Handwrtten"], made["Creator"]) == ("N", "manager")
    rows = rows_of(made, "LIB_DEV1Collection")
    assert [(row["LineId"], row["DocEntry"], row["U_QTY"]) for row in rows] == [
        (1, 1, Decimal("1.0")),
        (2, 1, Decimal("2.0")),
    ]
    assert own_desk.etag("LIB_ODEV", 1) is None


def test_rows_of_an_object_are_matched_by_line_id(own_desk: Desk) -> None:
    own_desk.create("LIB_ODEV", {"LIB_DEV1Collection": [{"U_QTY": 1}, {"U_QTY": 2}]})
    own_desk.change("LIB_ODEV", 1, {"LIB_DEV1Collection": [{"LineId": 2, "U_QTY": 9}]})
    rows = rows_of(own_desk.read("LIB_ODEV", 1), "LIB_DEV1Collection")
    assert [row["U_QTY"] for row in rows] == [Decimal("1.0"), Decimal("9.0")]
    replacement = {"LIB_DEV1Collection": [{"LineId": 2}, {"U_QTY": 5}]}
    own_desk.change("LIB_ODEV", 1, replacement, replace_collections=True)
    rows = rows_of(own_desk.read("LIB_ODEV", 1), "LIB_DEV1Collection")
    assert [(row["LineId"], row["U_QTY"]) for row in rows] == [(2, Decimal("9.0")), (3, Decimal("5.0"))]


@pytest.mark.parametrize(("action", "status", "cancelled"), [("Close", "C", "N"), ("Cancel", "C", "Y")])
def test_a_closed_or_cancelled_object_refuses_changes(
    own_desk: Desk, action: str, status: str, cancelled: str
) -> None:
    own_desk.create("LIB_ODEV", {})
    own_desk.act("LIB_ODEV", 1, action)
    after = own_desk.read("LIB_ODEV", 1)
    assert (after["Status"], after["Canceled"]) == (status, cancelled)
    assert own_desk.refusal(own_desk.change, "LIB_ODEV", 1, {"U_NOTA": "y"}).code == -5006
    assert own_desk.refusal(own_desk.act, "LIB_ODEV", 1, action).code == -5006
    own_desk.delete("LIB_ODEV", 1)


def test_an_action_that_nobody_knows_is_refused_loudly(own_desk: Desk) -> None:
    own_desk.create("LIB_ODEV", {})
    assert own_desk.refusal(own_desk.act, "LIB_ODEV", 1, "Odd").status == 501


def test_a_user_table_is_keyed_by_its_code(own_desk: Desk) -> None:
    own_desk.create("U_NOTA", {"Code": "Ñ/1", "U_TEXTO": "x"})
    own_desk.change("U_NOTA", "Ñ/1", {"U_TEXTO": "y"})
    assert own_desk.read("U_NOTA", "Ñ/1")["U_TEXTO"] == "y"
    assert own_desk.refusal(own_desk.create, "U_NOTA", {"Code": "Ñ/1"}).code == -2035
    assert own_desk.refusal(own_desk.create, "U_NOTA", {}).code == -5002


# --- what the tables say and no request can


def test_a_locked_or_used_up_series_gives_no_number(desk: Desk) -> None:
    company = desk.world.company
    body = {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1"}]}
    key = (primary_series(17),)
    series = company.database.get("$Series", key)
    assert series is not None
    for change in ({"Locked": "tYES"}, {"LastNumber": 100001}, {"Document": "x"}):
        with company.transaction():
            company.database.put("$Series", key, {**series, **change})
            company.database.put("$Series", (80,), None)
        refusal = desk.refusal(desk.create, "Orders", body)
        assert refusal.code == -5002
        assert refusal.text.startswith("To generate this document, first define the numbering series")


def test_a_currency_without_decimals_of_its_own_takes_the_companys(desk: Desk) -> None:
    desk.create("Currencies", {"Code": "PEN", "Name": "Sol", "Decimals": "cdDefault"})
    assert decimals(desk.world.company, "PEN") == 0
    assert decimals(desk.world.company, "USD") == 2
    assert decimals(desk.world.company, "UF") == 4


def test_a_posting_that_does_not_balance_is_impossible(desk: Desk) -> None:
    voucher = Voucher(date="2026-01-15", due_date="2026-01-15", tax_date="2026-01-15", memo="x")
    with pytest.raises(SlError, match="Unbalanced Transaction"):
        post(desk.world.company, voucher, [Booking("1.1.01.001", Decimal(1))])
    assert post(desk.world.company, voucher, [Booking("1.1.01.001", Decimal(0))]) is None


def test_what_is_read_only_here_refuses_every_write(desk: Desk) -> None:
    at, rules = Operation(desk.world.company, "DownPayments", "manager"), ReadOnlyRules()
    assert desk.refusal(rules.create, at, {}).status == 501
    assert desk.refusal(rules.modify, at, {}, Modification({})).status == 501
    assert desk.refusal(rules.delete, at, {}).status == 501
    assert desk.refusal(rules.act, at, {}, "Close").status == 501


def test_a_plain_object_takes_no_action(desk: Desk) -> None:
    assert desk.refusal(desk.act, "PaymentTermsTypes", 1, "Close").status == 501
    entry_number = desk.rows("JournalEntries", top=1)[0]["JdtNum"]
    at = Operation(desk.world.company, "JournalEntries", "manager")
    assert desk.refusal(JournalEntryRules().act, at, {"JdtNum": entry_number}, "Odd").status == 501


def test_a_desk_tells_when_nothing_was_refused(desk: Desk) -> None:
    with pytest.raises(AssertionError, match="not refused"):
        desk.refusal(desk.rows, "Items")

"""A partner's addresses: which rows of a change are known ones, and which are new."""

from __future__ import annotations

import pytest

from erpsim.company.exchange import Fields
from erpsim.desk import Desk
from erpsim.seeds.partners import partner_code

SET, CODE = "BusinessPartners", partner_code(0, supplier=False)
STREET = {"Street": "Nueva 1"}


def addresses(desk: Desk) -> list[Fields]:
    rows = desk.read(SET, CODE)["BPAddresses"]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


def names(desk: Desk) -> list[tuple[object, object, object]]:
    return [(row["AddressName"], row["AddressType"], row["RowNum"]) for row in addresses(desk)]


def key_of(row: Fields) -> Fields:
    return {name: row[name] for name in ("BPCode", "AddressName", "AddressType", "RowNum")}


BILL, SHIP = ("Facturación", "bo_BillTo", 0), ("Despacho", "bo_ShipTo", 1)


def test_an_address_with_its_full_key_is_changed(desk: Desk) -> None:
    second = key_of(addresses(desk)[1])
    desk.change(SET, CODE, {"BPAddresses": [{**second, **STREET}]})
    assert names(desk) == [BILL, SHIP]
    assert [row["Street"] == "Nueva 1" for row in addresses(desk)] == [False, True]


def test_a_new_address_name_adds_an_address_at_any_position(desk: Desk) -> None:
    desk.change(SET, CODE, {"BPAddresses": [{"AddressName": "Obra", "AddressType": "bo_BillTo"}]})
    assert names(desk) == [BILL, SHIP, ("Obra", "bo_BillTo", 2)]


def test_an_address_without_type_is_added_as_a_ship_to_address(desk: Desk) -> None:
    bill = key_of(addresses(desk)[0])
    del bill["AddressType"]
    desk.change(SET, CODE, {"BPAddresses": [bill]})
    assert names(desk) == [BILL, SHIP, ("Facturación", "bo_ShipTo", 2)]


@pytest.mark.parametrize(
    ("left_out", "code"),
    [(("BPCode",), -2035), (("RowNum",), -2035), (("BPCode", "AddressName", "AddressType"), -5002)],
)
def test_an_existing_address_without_its_full_key_is_refused(
    desk: Desk, left_out: tuple[str, ...], code: int
) -> None:
    row = {name: value for name, value in key_of(addresses(desk)[0]).items() if name not in left_out}
    refusal = desk.refusal(desk.change, SET, CODE, {"BPAddresses": [{**row, **STREET}]})
    assert (refusal.status, refusal.code) == (400, code)
    assert code == -2035 or refusal.text == "Address is empty"
    assert names(desk) == [BILL, SHIP]


def test_replacing_keeps_identified_rows_and_renumbers_the_rest(desk: Desk) -> None:
    bill, ship = (key_of(row) for row in addresses(desk))
    desk.change(SET, CODE, {"BPAddresses": [ship]}, replace_collections=True)
    assert names(desk) == [SHIP]
    del ship["RowNum"]
    desk.change(SET, CODE, {"BPAddresses": [ship, bill]}, replace_collections=True)
    assert names(desk) == [("Despacho", "bo_ShipTo", 2), ("Facturación", "bo_BillTo", 3)]

"""A return from planning to document as the living company takes it, on the seed made for it."""

from __future__ import annotations

import pytest

from erpsim.company.exchange import Caller, Fields
from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.facts import load_packaged_facts
from erpsim.world import World

OPEN = (
    "select h.DocEntry, h.DocNum, h.DocDate, l.LineNum, h.CardCode, h.CardName, h.LicTradNum, h.NumAtCard,"
    " l.ItemCode, l.OpenQty, l.OpenInvQty, l.NumPerMsr, l.unitMsr, l.Price, l.Currency, l.TaxCode, h.BPLId"
    " from OPDN h inner join PDN1 l on h.DocEntry = l.DocEntry where l.WhsCode = :whs and l.LineStatus = 'O'"
    " and h.DocStatus = 'O' and h.CANCELED = 'N' and l.OpenQty > 0 order by h.DocDate, h.DocEntry, l.LineNum"
)
STOCK = (
    "select w.ItemCode, i.ItemName, w.OnHand, w.IsCommited, w.OnOrder, i.InvntryUom, i.ManBtchNum,"
    " i.ManSerNum, i.validFor, i.frozenFor from OITW w inner join OITM i on w.ItemCode = i.ItemCode"
    " where w.WhsCode = :whs and w.OnHand > 0"
)


@pytest.fixture
def bodega() -> Desk:
    """The normal user, to whom the queries were granted."""
    world = World(
        load_packaged_facts(), seed="returns", switches=Switches(sql_grants=frozenset({"bodega:*"}))
    )
    for code, text in (("DP_EntradasAbiertas", OPEN), ("DP_Stock", STOCK)):
        Desk(world).create("SQLQueries", {"SqlCode": code, "SqlName": f"{code} v1", "SqlText": text})
    return Desk(world, Caller(user="bodega"))


def run(desk: Desk, code: str) -> list[Fields]:
    return desk.world.run_query(code, ["whs='01'"], 0, 100_000, desk.caller).rows


def test_the_oldest_open_receipt_can_be_returned(bodega: Desk) -> None:
    stock = {row["ItemCode"]: row for row in run(bodega, "DP_Stock")}
    usable = [
        row
        for row in run(bodega, "DP_EntradasAbiertas")
        if (found := stock[row["ItemCode"]])["ManBtchNum"] == "N"
        and found["ManSerNum"] == "N"
        and found["frozenFor"] == "N"
        and row["Currency"] == "CLP"
    ]
    oldest = usable[0]
    line = {
        "BaseType": 20,
        "BaseEntry": oldest["DocEntry"],
        "BaseLine": oldest["LineNum"],
        "Quantity": oldest["OpenQty"],
    }
    made = bodega.create("PurchaseReturns", {"CardCode": oldest["CardCode"], "DocumentLines": [line]})
    assert made["DocumentStatus"] == "bost_Open"
    after = run(bodega, "DP_EntradasAbiertas")
    keys = {(row["DocEntry"], row["LineNum"]) for row in after}
    assert (oldest["DocEntry"], oldest["LineNum"]) not in keys
    assert len(after) == len(run(bodega, "DP_EntradasAbiertas"))
    left = {row["ItemCode"]: row for row in run(bodega, "DP_Stock")}
    before = stock[oldest["ItemCode"]]["OnHand"]
    now = left.get(oldest["ItemCode"], {}).get("OnHand", 0)
    assert before - now == oldest["OpenInvQty"]  # type: ignore[operator]


def test_a_return_in_dollars_keeps_currency_and_rate(bodega: Desk) -> None:
    dollars = next(
        row
        for row in run(bodega, "DP_EntradasAbiertas")
        if row["Currency"] == "USD" and row["NumPerMsr"] == 1
    )
    line = {
        "BaseType": 20,
        "BaseEntry": dollars["DocEntry"],
        "BaseLine": dollars["LineNum"],
        "Quantity": 1,
    }
    body = {"CardCode": dollars["CardCode"], "DocDate": "2025-12-30", "DocCurrency": "USD"}
    made = bodega.create("PurchaseReturns", {**body, "DocumentLines": [line]})
    lines = made["DocumentLines"]
    assert isinstance(lines, list)
    assert isinstance(lines[0], dict)
    assert (made["DocCurrency"], lines[0]["Price"]) == ("USD", dollars["Price"])

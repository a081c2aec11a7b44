"""Goods to send back: how much of it there is, and that books, stock and numbers agree."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from erpsim.desk import Desk
from erpsim.facts import load_packaged_facts
from erpsim.sql import SqliteMirror
from erpsim.world import World

TABLES = ("OPDN", "PDN1", "OITM", "OITW", "OBTN", "OBTQ", "OSRN", "OSRQ", "OBIN", "OWHS", "RPD1", "PCH1")
OPEN = (
    "SELECT {what} FROM PDN1 l JOIN OPDN h ON h.DocEntry = l.DocEntry"
    " WHERE h.DocStatus = 'O' AND h.CANCELED = 'N' AND l.LineStatus = 'O' AND l.OpenQty > 0"
)
Ask = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Runs SQL on the small company with goods to send back."""
    connection = sqlite3.connect(":memory:")
    SqliteMirror(connection, World(load_packaged_facts(), seed="returns")).refresh(TABLES)
    yield lambda sql: connection.execute(sql).fetchall()
    connection.close()


def open_lines(ask: Ask, what: str, more: str = "") -> Any:
    return ask(OPEN.format(what=what) + more)[0][0]


def test_three_warehouses_hold_open_lines_of_many_suppliers(ask: Ask) -> None:
    assert open_lines(ask, "COUNT(*)") >= 200
    assert open_lines(ask, "COUNT(DISTINCT h.CardCode)") >= 6
    assert open_lines(ask, "COUNT(DISTINCT l.WhsCode)") == 3


@pytest.mark.parametrize(
    "more",
    [
        " AND l.NumPerMsr = 12",
        " AND l.Currency = 'USD' AND h.DocCur = 'USD' AND h.DocRate > 500",
        " AND l.OpenQty < l.Quantity",
        " AND l.ItemCode IN (SELECT ItemCode FROM OITM WHERE ManBtchNum = 'Y')",
        " AND l.ItemCode IN (SELECT ItemCode FROM OITM WHERE ManSerNum = 'Y')",
        " AND l.ItemCode IN (SELECT ItemCode FROM OITM WHERE frozenFor = 'Y')",
        " AND l.WhsCode IN (SELECT WhsCode FROM OBIN)",
    ],
)
def test_every_hard_case_is_among_the_open_lines(ask: Ask, more: str) -> None:
    assert open_lines(ask, "COUNT(*)", more) > 0


def test_some_receipts_are_invoiced_and_some_closed_with_their_quantities(ask: Ask) -> None:
    assert ask("SELECT COUNT(*) FROM PCH1 WHERE BaseType = 20")[0][0] > 0
    closed = "SELECT COUNT(*) FROM PDN1 l JOIN OPDN h ON h.DocEntry = l.DocEntry WHERE h.DocStatus = 'C'"
    assert ask(f"{closed} AND l.OpenQty > 0")[0][0] > 0
    assert ask("SELECT COUNT(*) FROM RPD1 WHERE BaseType = 20")[0][0] > 0


def test_open_receipt_quantities_never_exceed_the_stock(ask: Ask) -> None:
    received = OPEN.format(what="l.ItemCode, l.WhsCode, SUM(l.OpenInvQty) AS open") + " GROUP BY 1, 2"
    missing = (
        f"SELECT r.ItemCode FROM ({received}) r LEFT JOIN OITW w ON w.ItemCode = r.ItemCode"
        " AND w.WhsCode = r.WhsCode WHERE COALESCE(w.OnHand, 0) < r.open"
    )
    assert ask(missing) == []


@pytest.mark.parametrize(("flag", "table"), [("ManBtchNum", "OBTQ"), ("ManSerNum", "OSRQ")])
def test_batches_and_serial_numbers_add_up_to_the_stock(ask: Ask, flag: str, table: str) -> None:
    sql = (
        f"SELECT w.ItemCode FROM OITW w JOIN OITM i ON i.ItemCode = w.ItemCode WHERE i.{flag} = 'Y' AND"
        f" w.OnHand <> COALESCE((SELECT SUM(q.Quantity) FROM {table} q WHERE q.ItemCode = w.ItemCode"
        " AND q.WhsCode = w.WhsCode), 0)"
    )
    assert ask(sql) == []
    assert ask(f"SELECT COUNT(*) FROM {table}")[0][0] > 0


def test_boxes_and_dollars_multiply(ask: Ask) -> None:
    assert ask("SELECT COUNT(*) FROM PDN1 WHERE InvQty <> Quantity * NumPerMsr")[0][0] == 0
    dollars = "SELECT COUNT(*) FROM PDN1 WHERE Currency = 'USD' AND LineTotal <> Price * Quantity * Rate"
    assert ask(dollars)[0][0] == 0


@pytest.mark.check
def test_the_large_company_has_20_000_open_lines_of_60_suppliers() -> None:
    desk = Desk(World(load_packaged_facts(), seed="full"))
    lines, suppliers = 0, set()
    for document in desk.world.company.rows("PurchaseDeliveryNotes"):
        rows = document["DocumentLines"]
        assert isinstance(rows, list)
        left = [row for row in rows if isinstance(row, dict) and row["LineStatus"] == "bost_Open"]
        if document["DocumentStatus"] == "bost_Open" and left:
            lines += len(left)
            suppliers.add(document["CardCode"])
    assert lines >= 20_000
    assert len(suppliers) >= 60

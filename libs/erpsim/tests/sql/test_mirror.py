"""The company as SQL tables: columns, values, and that a copy always shows the present state."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from erpsim.desk import Desk
from erpsim.facts import Facts, load_packaged_facts
from erpsim.sql import CompanyTables, SqliteMirror, SqlType, load_into_sqlite
from erpsim.world import World

Ask = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def facts() -> Facts:
    return load_packaged_facts()


@pytest.fixture
def world(facts: Facts) -> World:
    return World(facts, seed="small")


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    yield connection
    connection.close()


@pytest.fixture
def mirror(connection: sqlite3.Connection, world: World) -> SqliteMirror:
    return SqliteMirror(connection, world)


@pytest.fixture
def ask(connection: sqlite3.Connection, mirror: SqliteMirror) -> Ask:
    """Runs SQL on tables brought up to date before."""

    def run(sql: str, *tables: str) -> list[tuple[Any, ...]]:
        mirror.refresh(tables)
        return connection.execute(sql).fetchall()

    return run


def test_enumerations_are_letters_and_dates_are_midnights(ask: Ask) -> None:
    row = ask("SELECT DocStatus, CANCELED, ObjType, DocDate, DocTime FROM OINV WHERE DocEntry = 1", "OINV")
    assert row == [("O", "N", "13", "2025-11-10 00:00:00", 907)]


def test_lines_carry_the_key_of_their_document(ask: Ask) -> None:
    joined = "SELECT COUNT(*) FROM PDN1 l JOIN OPDN h ON h.DocEntry = l.DocEntry AND l.DocDate = h.DocDate"
    assert ask(joined, "OPDN", "PDN1") == ask("SELECT COUNT(*) FROM PDN1")


def test_stock_by_warehouse_adds_up_to_the_item(ask: Ask) -> None:
    sums = ask("SELECT ItemCode, SUM(OnHand) FROM OITW GROUP BY ItemCode ORDER BY ItemCode", "OITW", "OITM")
    assert sums == ask("SELECT ItemCode, OnHand FROM OITM ORDER BY ItemCode")


def test_columns_without_a_value_have_the_metadata_default(ask: Ask) -> None:
    assert ask("SELECT DISTINCT ManBtchNum, InvntItem, QryGroup64 FROM OITM", "OITM") == [("N", "Y", "N")]


def test_valid_values_know_their_field(ask: Ask) -> None:
    sql = (
        "SELECT v.IndexID, v.FldValue FROM CUFD f JOIN UFD1 v ON v.TableID = f.TableID"
        " AND v.FieldID = f.FieldID WHERE f.TableID = 'ORPD' AND f.AliasID = 'CANAL' ORDER BY v.IndexID"
    )
    assert ask(sql, "CUFD", "UFD1") == [(0, "WEB"), (1, "TEL"), (2, "SALA")]


def test_no_table_shows_passwords(world: World) -> None:
    tables = CompanyTables(world.company)
    for name in ("OUSR", "OHEM"):
        assert not [each.name for each in tables[name].columns if "PASS" in each.name.upper()]
    assert "U_WEB_USER" in {each.name for each in tables["OHEM"].columns}


def test_a_change_appears_at_the_next_refresh_in_its_rows_only(
    ask: Ask, connection: sqlite3.Connection, world: World
) -> None:
    before = ask("SELECT COUNT(*) FROM OITM", "OITM")[0][0]
    connection.execute("UPDATE OITM SET ItemName = 'left alone' WHERE ItemCode = 'N+1'")
    Desk(world).change("Items", "0007", {"ItemName": "Otro nombre"})
    Desk(world).create("Items", {"ItemCode": "NEW", "ItemName": "Nuevo"})
    found = ask("SELECT ItemName FROM OITM WHERE ItemCode IN ('0007', 'NEW', 'N+1')", "OITM")
    assert sorted(found) == [("Nuevo",), ("Otro nombre",), ("left alone",)]
    assert ask("SELECT COUNT(*) FROM OITM") == [(before + 1,)]


def test_rolled_back_changes_are_not_visible(ask: Ask, world: World) -> None:
    before = ask("SELECT COUNT(*) FROM OITM", "OITM")

    def fail() -> None:
        with world.transaction():
            Desk(world).create("Items", {"ItemCode": "NEW", "ItemName": "Nuevo"})
            assert ask("SELECT COUNT(*) FROM OITM", "OITM") != before
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert ask("SELECT COUNT(*) FROM OITM", "OITM") == before


def test_a_reset_shows_the_seed_again(ask: Ask, world: World) -> None:
    before = ask("SELECT COUNT(*) FROM OITM", "OITM")
    Desk(world).create("Items", {"ItemCode": "NEW", "ItemName": "Nuevo"})
    world.reset()
    assert ask("SELECT COUNT(*) FROM OITM", "OITM") == before


def test_a_removed_row_disappears(ask: Ask, world: World) -> None:
    Desk(world).create("Items", {"ItemCode": "NEW", "ItemName": "Nuevo"})
    assert ask("SELECT COUNT(*) FROM OITM WHERE ItemCode = 'NEW'", "OITM") == [(1,)]
    Desk(world).delete("Items", "NEW")
    assert ask("SELECT COUNT(*) FROM OITM WHERE ItemCode = 'NEW'", "OITM") == [(0,)]


def test_all_tables_are_written_to_the_sqlite_file(connection: sqlite3.Connection, world: World) -> None:
    mirror = load_into_sqlite(connection, world)
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert names == set(mirror.tables)
    assert {"OITM", "OITW", "OPDN", "PDN1", "ORPD", "RPD1", "OBTN", "OBTQ", "CUFD", "NNM1"} <= names


def test_column_names_differ_by_more_than_their_case(world: World) -> None:
    for table in CompanyTables(world.company).values():
        folded = [each.name.upper() for each in table.columns]
        assert len(set(folded)) == len(folded), table.name
        assert all(each.length for each in table.columns if each.type is SqlType.NVARCHAR), table.name


def test_print_layouts_are_rows_of_rdoc(ask: Ask) -> None:
    rows = ask("SELECT DocCode, DocName, Category, Status FROM RDOC WHERE TypeCode = 'INV2'", "RDOC")
    assert sorted(rows) == [
        ("INV20001", "Factura", "C", "A"),
        ("INV20002", "Factura (formato PLD)", "P", "A"),
        ("INV20003", "Factura (formato anterior)", "C", "I"),
    ]

"""User tables, fields, keys and objects created while the company runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from erpsim.company.exchange import Caller
from erpsim.company.store import FileStore
from erpsim.company.switches import MetadataVisible
from erpsim.desk import Desk
from erpsim.facts import load_packaged_facts
from erpsim.sql import SqliteMirror
from erpsim.world import World

FENCE = {"TableName": "fence", "TableDescription": "Fence"}


def test_a_user_table_has_a_capital_name_and_its_own_entity_set(desk: Desk) -> None:
    made = desk.create("UserTablesMD", FENCE)
    assert (made["TableName"], made["TableType"]) == ("FENCE", "bott_NoObject")
    desk.create("U_FENCE", {"Code": "K1", "Name": "One"})
    assert desk.read("U_FENCE", "K1") == {"Code": "K1", "Name": "One"}


@pytest.mark.parametrize("name", ["", "@", "A" * 20])
def test_an_impossible_table_name_is_refused(desk: Desk, name: str) -> None:
    assert desk.refusal(desk.create, "UserTablesMD", {"TableName": name}).code == -5002


def test_an_existing_definition_is_refused_with_2035(plan: Desk) -> None:
    for set_name, body in (
        ("UserTablesMD", {"TableName": "plan"}),
        ("UserFieldsMD", {"TableName": "@PLAN", "Name": "WHS"}),
        ("UserFieldsMD", {"TableName": "OITM", "Name": "TEMPORADA"}),
        ("UserObjectsMD", {"Code": "PLAN", "TableName": "PLAN"}),
    ):
        refusal = plan.refusal(plan.create, set_name, body)
        assert (refusal.status, refusal.code) == (400, -2035), set_name


def test_a_second_row_with_the_same_code_is_refused(desk: Desk) -> None:
    desk.create("UserTablesMD", FENCE)
    desk.create("U_FENCE", {"Code": "K1"})
    assert desk.refusal(desk.create, "U_FENCE", {"Code": "K1"}).code == -2035


def test_fields_are_numbered_from_zero_in_each_table(desk: Desk) -> None:
    desk.create("UserTablesMD", FENCE)
    numbers = [
        desk.create("UserFieldsMD", {"TableName": "@FENCE", "Name": name})["FieldID"] for name in ("A", "B")
    ]
    assert numbers == [0, 1]
    found = desk.rows("UserFieldsMD", filter="TableName eq '@FENCE' and Name eq 'B'")
    assert [(row["FieldID"], row["Type"], row["Size"]) for row in found] == [(1, "db_Alpha", 10)]


def test_a_field_of_one_marketing_document_belongs_to_all(desk: Desk) -> None:
    made = desk.create("UserFieldsMD", {"TableName": "ORPD", "Name": "LIB_Clave", "Size": 50})
    assert made["TableName"] == "ORPD"
    tables = {row["TableName"] for row in desk.rows("UserFieldsMD", filter="Name eq 'LIB_Clave'")}
    assert {"ORPD", "OPDN", "OINV"} <= tables
    body = {"CardCode": "C00001", "U_LIB_Clave": "K-1", "DocumentLines": [{"ItemCode": "A/1"}]}
    entry = desk.create("Orders", body)["DocEntry"]
    found = desk.rows("Orders", filter="U_LIB_Clave eq 'K-1'", select="DocEntry,U_LIB_Clave")
    assert found == [{"DocEntry": entry, "U_LIB_Clave": "K-1"}]


def test_a_field_of_lines_belongs_to_lines(desk: Desk) -> None:
    desk.create("UserFieldsMD", {"TableName": "RPD1", "Name": "WHY"})
    body = {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1", "U_WHY": "broken"}]}
    lines = desk.create("Orders", body)["DocumentLines"]
    assert isinstance(lines, list)
    assert isinstance(lines[0], dict)
    assert lines[0]["U_WHY"] == "broken"


@pytest.mark.parametrize(
    "body", [{"Type": "db_Numeric"}, {"SubType": "st_Phone"}, {"Size": 5}, {"Name": "X"}]
)
def test_a_field_keeps_its_type_and_never_shrinks(plan: Desk, body: dict[str, object]) -> None:
    assert plan.refusal(plan.change, "UserFieldsMD", ("@PLAN", 0), body).code == -1029


def test_a_field_can_grow_and_gain_valid_values(plan: Desk) -> None:
    values = [{"Value": "01", "Description": "One"}, {"Value": "02", "Description": "Two"}]
    plan.change("UserFieldsMD", ("@PLAN", 0), {"Size": 20, "Description": "New", "ValidValuesMD": values})
    row = plan.read("UserFieldsMD", ("@PLAN", 0))
    assert (row["Size"], row["EditSize"], row["Description"]) == (20, 20, "New")
    assert plan.refusal(plan.create, "PLAN", {"U_Whs": "03"}).code == -1004
    assert plan.create("PLAN", {"U_Whs": "02"})["U_Whs"] == "02"


@pytest.mark.parametrize(
    "body",
    [
        {"Type": "db_Float"},
        {"Type": "db_Alpha", "Size": 255},
        {"Type": "db_Numeric", "Size": 12},
        {"TableName": "@NONE"},
        {"TableName": "NONE"},
        {"Name": ""},
    ],
)
def test_an_impossible_field_is_refused(plan: Desk, body: dict[str, object]) -> None:
    refusal = plan.refusal(plan.create, "UserFieldsMD", {"TableName": "@PLAN", "Name": "N", **body})
    assert refusal.status == 400


def test_an_object_names_its_row_collections_after_the_child(plan: Desk) -> None:
    made = plan.create("PLAN", {"U_Whs": "01", "PLAN1Collection": [{"U_Item": "A/1"}]})
    assert "PLANTEXTCollection" in made
    definition = plan.read("UserObjectsMD", "PLAN")
    children = definition["UserObjectMD_ChildTables"]
    assert isinstance(children, list)
    assert [(row["SonNumber"], row["ObjectName"]) for row in children if isinstance(row, dict)] == [
        (1, "PLAN1"),
        (2, "PLANTEXT"),
    ]


def test_tables_of_an_object_are_no_sets_of_their_own(desk: Desk) -> None:
    desk.create("UserTablesMD", {"TableName": "M", "TableType": "bott_MasterData"})
    desk.create("UserTablesMD", FENCE)
    assert desk.refusal(desk.rows, "U_M").code == 200
    desk.create("UserObjectsMD", {"Code": "MASTER", "TableName": "M"})
    assert desk.refusal(desk.rows, "U_M").code == 200
    assert desk.create("MASTER", {"Code": "X"})["Canceled"] == "N"
    assert desk.rows("U_FENCE") == []


@pytest.mark.parametrize("table", ["NONE", "FENCE", "PLAN1"])
def test_an_object_requires_a_matching_unused_table(plan: Desk, table: str) -> None:
    plan.create("UserTablesMD", FENCE)
    body = {"Code": "OTHER", "TableName": table, "ObjectType": "boud_Document"}
    assert plan.refusal(plan.create, "UserObjectsMD", body).status == 400


def test_a_unique_key_refuses_a_second_row(desk: Desk) -> None:
    desk.create("UserTablesMD", FENCE)
    desk.create("UserFieldsMD", {"TableName": "@FENCE", "Name": "Doc"})
    key = {"TableName": "@FENCE", "KeyName": "ONCE", "KeyIndex": 1, "Unique": "tYES"}
    made = desk.create("UserKeysMD", {**key, "UserKeysMD_Elements": [{"ColumnAlias": "Doc"}]})
    assert made["KeyIndex"] == 0
    desk.create("U_FENCE", {"Code": "1", "U_Doc": "A"})
    assert desk.refusal(desk.create, "U_FENCE", {"Code": "2", "U_Doc": "A"}).code == -2035
    desk.create("U_FENCE", {"Code": "3", "U_Doc": "B"})
    assert desk.refusal(desk.change, "U_FENCE", "3", {"U_Doc": "A"}).code == -2035
    desk.change("U_FENCE", "3", {"Name": "kept"})


def test_a_used_definition_is_not_removed(plan: Desk) -> None:
    assert plan.refusal(plan.delete, "UserTablesMD", "PLAN").code == -1120
    plan.create("PLAN", {"U_Whs": "01"})
    assert plan.refusal(plan.delete, "UserObjectsMD", "PLAN").code == -1120


def test_unused_definitions_can_be_removed(desk: Desk) -> None:
    desk.create("UserTablesMD", FENCE)
    desk.create("UserFieldsMD", {"TableName": "@FENCE", "Name": "Doc"})
    desk.delete("UserFieldsMD", ("@FENCE", 0))
    assert desk.refusal(desk.create, "U_FENCE", {"Code": "1", "U_Doc": "A"}).code == -1000
    desk.delete("UserTablesMD", "FENCE")
    assert desk.refusal(desk.rows, "U_FENCE").code == 200


def test_a_normal_user_cannot_define_tables(desk: Desk) -> None:
    normal = Desk(desk.world, Caller(user="bodega"))
    refusal = normal.refusal(normal.create, "UserTablesMD", FENCE)
    assert (refusal.status, refusal.code) == (403, -6006)


@pytest.mark.parametrize("login", [True, False])
def test_new_metadata_may_show_after_a_login_or_a_restart_only(
    make_desk: Callable[..., Desk], *, login: bool
) -> None:
    visible = MetadataVisible.AFTER_LOGIN if login else MetadataVisible.AFTER_RESTART
    desk = make_desk(metadata_visible=visible)
    desk.create("UserTablesMD", FENCE)
    desk.create("UserFieldsMD", {"TableName": "OITM", "Name": "NEW"})
    assert desk.read("UserTablesMD", "FENCE")["TableName"] == "FENCE"
    assert desk.refusal(desk.rows, "U_FENCE").code == 200
    assert desk.refusal(desk.change, "Items", "A/1", {"U_NEW": "x"}).code == -1000
    desk.world.authenticate("SBO_DEMO", "bodega", "erpsim")
    assert ("U_FENCE" in desk.world.facts.entity_sets) is login
    desk.world.restart()
    assert desk.rows("U_FENCE") == []
    desk.change("Items", "A/1", {"U_NEW": "x"})


def test_definitions_and_rows_outlive_the_process(tmp_path: Path) -> None:
    for again in (False, True):
        store = FileStore(tmp_path / "store")
        try:
            desk = Desk(World(load_packaged_facts(), seed="empty", store=store))
            if not again:
                desk.create("UserTablesMD", FENCE)
                desk.create("U_FENCE", {"Code": "K"})
            assert [row["Code"] for row in desk.rows("U_FENCE")] == ["K"]
        finally:
            store.close()


def test_a_reset_forgets_definitions(plan: Desk) -> None:
    plan.world.reset()
    assert plan.refusal(plan.rows, "PLAN").code == 200


def test_a_rolled_back_definition_does_not_exist(desk: Desk) -> None:
    def fail() -> None:
        with desk.world.transaction():
            desk.create("UserTablesMD", FENCE)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert desk.refusal(desk.rows, "U_FENCE").code == 200
    desk.create("UserTablesMD", FENCE)


def test_user_tables_are_database_tables(plan: Desk) -> None:
    plan.create("PLAN", {"U_Whs": "01", "PLAN1Collection": [{"U_Item": "A/1", "U_Qty": 2}]})
    connection = sqlite3.connect(":memory:")
    try:
        SqliteMirror(connection, plan.world).refresh(["@PLAN", "@PLAN1"])
        sql = (
            'SELECT l.DocEntry, l.LineId, h.Status, h.U_State, l.U_Qty FROM "@PLAN" h'
            ' JOIN "@PLAN1" l ON l.DocEntry = h.DocEntry'
        )
        assert connection.execute(sql).fetchall() == [(1, 1, "O", "P", 2)]
    finally:
        connection.close()

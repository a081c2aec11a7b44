"""Differences of definitions, and the requests that resolve them."""

from typing import Any

import attrs
import msgspec
import pytest

from supplier_returns.metadata.comparison import (
    State,
    Step,
    compare,
    compare_fields,
    compare_object,
    compare_tables,
    difference_of,
    field_body,
    field_change,
    object_change,
)
from supplier_returns.metadata.definitions import FieldDefinition, ValidValue, load_definitions
from supplier_returns.metadata.installed import (
    Installed,
    InstalledChild,
    InstalledField,
    InstalledObject,
    InstalledTable,
    InstalledValue,
)

NEEDED = load_definitions()
EMPTY = Installed(tables={}, fields={}, user_object=None, queries=())
TEXT = FieldDefinition(name="X", description="x", type="db_Alpha", size=10)
CHOICE = FieldDefinition(
    name="X", description="x", type="db_Alpha", size=1, default="A",
    valid_values=(ValidValue("A", "a"), ValidValue("B", "b")),
)  # fmt: skip


def steps(here: Installed) -> list[Step]:
    return [each.step for each in compare(NEEDED, here) if each.step is not None]


def installed(**more: Any) -> InstalledField:
    given = {"table": "@T", "name": "X", "id": 3, "type": "db_Alpha", "size": 10, **more}
    return InstalledField(**given)


def user_object(**more: Any) -> InstalledObject:
    given = {
        "code": "LIB_ODEV", "table": "LIB_ODEV", "type": "boud_Document",
        "can_find": "tYES", "can_log": "tYES", "can_close": "tYES",
        "children": [InstalledChild(name) for name in NEEDED.user_object.children], **more,
    }  # fmt: skip
    return InstalledObject(**given)


@pytest.mark.parametrize(
    ("found", "needed", "detail", "mendable"),
    [
        (installed(), TEXT, None, True),
        (installed(size=None, edit_size=10), TEXT, None, True),
        (installed(size=200, sub_type="st_None"), TEXT, None, True),
        (installed(size=9, edit_size=None), TEXT, "admite 9 caracteres y debe admitir 10", True),
        (installed(type="db_Memo"), TEXT, "es db_Memo/st_None y debe ser db_Alpha/st_None", False),
        (installed(sub_type="st_Phone"), TEXT, "es db_Alpha/st_Phone y debe ser db_Alpha/st_None", False),
        (installed(), CHOICE, "no tiene valores válidos", True),
        (installed(values=[InstalledValue("A")]), CHOICE, "faltan valores válidos: B", True),
        (installed(values=[InstalledValue(word) for word in "CBA"]), CHOICE, None, True),
    ],
)
def test_how_a_field_differs(
    found: InstalledField, needed: FieldDefinition, detail: str | None, *, mendable: bool
) -> None:
    assert difference_of(found, needed) == (detail, mendable)


def test_a_new_field_is_sent_with_all_attributes() -> None:
    required = msgspec.structs.replace(CHOICE, mandatory=True)
    assert field_body("@T", required) == {
        "TableName": "@T",
        "Name": "X",
        "Description": "x",
        "Type": "db_Alpha",
        "SubType": "st_None",
        "Mandatory": "tYES",
        "Size": 1,
        "EditSize": 1,
        "DefaultValue": "A",
        "ValidValuesMD": [{"Value": "A", "Description": "a"}, {"Value": "B", "Description": "b"}],
    }
    memo = FieldDefinition(name="M", description="m", type="db_Memo")
    assert set(field_body("@T", memo)) == {
        "TableName", "Name", "Description", "Type", "SubType", "Mandatory",
    }  # fmt: skip


def test_a_field_change_keeps_existing_values_first_and_never_shrinks() -> None:
    found = installed(size=5, values=[InstalledValue("Z", "own"), InstalledValue("B")])
    assert field_change(found, TEXT) == {"Size": 10, "EditSize": 10}
    assert field_change(found, CHOICE) == {
        "ValidValuesMD": [
            {"Value": "Z", "Description": "own"},
            {"Value": "B", "Description": ""},
            {"Value": "A", "Description": "a"},
        ]
    }


def test_an_object_gets_missing_parts_and_keeps_existing_ones() -> None:
    found = user_object(children=[InstalledChild("OWN"), InstalledChild("LIB_DEV2")], can_close=None)
    finding = compare_object(NEEDED.user_object, attrs.evolve(EMPTY, user_object=found))
    assert (finding.state, finding.detail) == (State.DIFFERENT, "falta CanClose, LIB_DEV1, LIB_DEV3")
    change = object_change(found, NEEDED.user_object)
    tables = [child["TableName"] for child in change["UserObjectMD_ChildTables"]]
    assert tables == ["OWN", "LIB_DEV2", "LIB_DEV1", "LIB_DEV3"]
    assert change["CanClose"] == "tYES"
    assert "CanCancel" not in change


def test_an_object_with_another_table_does_not_change() -> None:
    here = attrs.evolve(EMPTY, user_object=user_object(table="OTHER"))
    (finding,) = [each for each in compare(NEEDED, here) if each.is_stuck and each.name == "LIB_ODEV"]
    assert finding.detail == ("es un boud_Document sobre OTHER y debe ser un boud_Document sobre LIB_ODEV")
    assert "objeto LIB_ODEV" not in [step.name for step in steps(here)]


def test_a_table_of_another_type_does_not_change() -> None:
    tables = {"LIB_CLAVE": InstalledTable("LIB_CLAVE", "bott_MasterData")}
    here = attrs.evolve(EMPTY, tables=tables)
    (finding,) = [each for each in compare_tables(NEEDED, here) if each.name == "LIB_CLAVE"]
    assert (finding.state, finding.is_stuck) == (State.DIFFERENT, True)
    assert "tabla @LIB_CLAVE" not in [step.name for step in steps(here)]


def test_invisible_definitions_are_pending_restart() -> None:
    tables = {table.name: InstalledTable(table.name, table.type) for table in NEEDED.tables}
    fields = {
        (group.field_table, each.name): InstalledField(
            table=group.field_table, name=each.name, id=0, type=each.type, sub_type=each.sub_type,
            size=each.size, values=[InstalledValue(value.value) for value in each.valid_values],
        )
        for group in NEEDED.groups for each in group.fields
    }  # fmt: skip
    here = attrs.evolve(
        EMPTY,
        tables=tables,
        fields=fields,
        user_object=user_object(),
        invisible=frozenset({"U_LIB_CLAVE", "ORPD", "LIB_ODEV"}),
    )
    assert steps(here) == []
    assert {each.name for each in compare_tables(NEEDED, here) if each.state is State.RESTART} == {
        "LIB_CLAVE"
    }
    waiting = {each.table for each in compare_fields(NEEDED, here) if each.state is State.RESTART}
    assert waiting == {"ORPD", "@LIB_ODEV"}
    assert compare_object(NEEDED.user_object, here).state is State.RESTART


def test_steps_are_in_executable_order() -> None:
    kinds = [step.name.split()[0] for step in steps(EMPTY)]
    assert sorted(kinds, key=["tabla", "campo", "objeto"].index) == kinds
    assert all(step.key is None for step in steps(EMPTY))

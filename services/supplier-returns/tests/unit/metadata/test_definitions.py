"""The definitions follow the rules of the ERP and match the code that uses the fields."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from supplier_returns.metadata.definitions import load_definitions
from supplier_returns.planning.records import rows
from supplier_returns.saved_queries.queries import STORED_QUERIES

NEEDED = load_definitions()
BEFORE_YOU_START = (Path(__file__).parents[5] / "docs" / "before-you-start.md").read_text(encoding="utf-8")


def names_of(shape: Any) -> set[str]:
    return {name for name in shape.__struct_fields__ if name.startswith("U_")}


def fields_of(table: str) -> dict[str, Any]:
    (group,) = [group for group in NEEDED.groups if group.field_table == table]
    return {f"U_{each.name}": each for each in group.fields}


@pytest.mark.parametrize(
    ("table", "shape"),
    [
        ("@LIB_ODEV", rows.PlanningRow),
        ("@LIB_DEV1", rows.LineRow),
        ("@LIB_DEV2", rows.AllocationRow),
        ("@LIB_DEV3", rows.DocumentRow),
    ],
)
def test_every_field_that_planning_uses_is_defined_with_the_right_type(table: str, shape: Any) -> None:
    defined = fields_of(table)
    assert names_of(shape) <= set(defined)
    for each in msgspec.structs.fields(shape):
        if each.name.startswith("U_"):
            kind = "int" if defined[each.name].type == "db_Numeric" else "Decimal"
            numeric = defined[each.name].type in ("db_Numeric", "db_Float")
            assert (kind in str(each.type)) is numeric, each.name


@pytest.mark.parametrize(
    ("table", "field", "states"),
    [
        ("@LIB_ODEV", "Estado", rows.PLANNING_STATES),
        ("@LIB_DEV1", "Gestion", rows.MANAGEMENTS),
        ("@LIB_DEV3", "Estado", rows.DOCUMENT_STATES),
    ],
)
def test_the_valid_values_are_the_states_of_planning(table: str, field: str, states: Any) -> None:
    assert {value.value for value in NEEDED.valid_values(table, field)} == set(states)


def test_the_definitions_keep_the_erps_limits() -> None:
    for group in NEEDED.groups:
        names = [each.name for each in group.fields]
        assert len(set(names)) == len(names)
        for each in group.fields:
            assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,17}", each.name), each
            assert (each.type == "db_Float") == (each.sub_type != "st_None"), each
            assert (each.type in ("db_Alpha", "db_Numeric")) == (each.size is not None), each
            assert each.size is None or each.size <= (254 if each.type == "db_Alpha" else 11), each
            assert len(each.description) <= 50, each
            values = [value.value for value in each.valid_values]
            assert each.default is None or each.default in values, each
            assert all(len(value) <= (each.size or 0) for value in values), each
    for table in NEEDED.tables:
        assert len(table.name) <= 19
        assert len(table.description) <= 30, table


def test_the_tables_of_the_object_are_defined_before_it() -> None:
    tables = {table.name: table.type for table in NEEDED.tables}
    assert tables[NEEDED.user_object.table] == "bott_Document"
    assert {tables[child] for child in NEEDED.user_object.children} == {"bott_DocumentLines"}
    assert tables["LIB_CLAVE"] == "bott_NoObject"
    assert NEEDED.user_object.can["CanClose"]


def test_an_unknown_field_has_no_values() -> None:
    with pytest.raises(KeyError):
        NEEDED.valid_values("@LIB_ODEV", "Nada")


def test_the_requirements_page_names_all_tables_queries_and_purchase_fields() -> None:
    needed = load_definitions()
    section = BEFORE_YOU_START.partition("## What `rebuild` adds")[2].partition("\n## ")[0]
    for name in (*(f"@{table.name}" for table in needed.tables), needed.user_object.code):
        assert f"`{name}`" in section, name
    for query in STORED_QUERIES:
        assert f"`{query.code}`" in section, query.code
    own = sum(len(group.fields) for group in needed.groups if group.table is not None)
    assert f"| User fields in them | {own} |" in section
    for group in needed.groups:
        if group.table is None:
            assert group.field_table in section
            assert all(f"`U_{field.name}`" in section for field in group.fields)

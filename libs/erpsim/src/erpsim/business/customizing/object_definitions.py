"""Rules of `UserObjectsMD`: a main table and its child tables under one code."""

from __future__ import annotations

from typing import Final

from erpsim.business.customizing.definitions import (
    CHILDREN,
    OBJECTS,
    TABLES,
    check_unchanged,
    tables_of_object,
    without_nulls,
)
from erpsim.business.rules import Answer, Modification, Operation, changed_row, unknown_action
from erpsim.company.company import Company
from erpsim.company.errors import NotSimulatedError, already_exists, in_use, invalid, no_match
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.overlay import (
    DOCUMENT,
    DOCUMENT_ROWS,
    MASTER_DATA,
    MASTER_DATA_ROWS,
    TABLE_PREFIX,
)
from erpsim.company.rows.merging import number_rows, rows_of
from erpsim.company.series import TABLE as SERIES

_FIND_COLUMNS: Final = "UserObjectMD_FindColumns"
_FIRST_OWN_SERIES: Final = 200


class UserObjectDefinitionRules:
    """Rules of `UserObjectsMD` (SAP manual 1.22, 3.16)."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Register an object.

        Raises:
            SlError: the code is taken, a table is missing, of the wrong type or used by another object.
        """
        company, code = at.company, str(fields.get("Code") or "")
        if not code:
            raise invalid("Enter a code  [OUDO.Code]")  # assumed text
        if company.find(OBJECTS, code) is not None:
            raise already_exists()
        row = _with_normal_names({"ObjectType": "boud_MasterData", **without_nulls(fields)})
        row.setdefault("Name", code)
        _check_tables(company, row)
        row = _numbered(at, row)
        if row.get("ManageSeries") == "tYES":
            _add_series(company, code)
        return company.insert(OBJECTS, row)

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change the object's abilities, children and columns. Main table and type are fixed."""
        check_unchanged(row, change, "Code", "TableName", "ObjectType")
        changed = _with_normal_names(changed_row(at.row_type, row, change))
        if len(rows_of(changed, CHILDREN)) < len(rows_of(row, CHILDREN)):
            raise NotSimulatedError("an object that loses a child table")
        _check_tables(at.company, changed)
        if changed.get("ManageSeries") == "tYES" and row.get("ManageSeries") != "tYES":
            _add_series(at.company, str(row["Code"]))
        at.company.update(OBJECTS, _numbered(at, changed))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Unregister an object that has no data."""
        if len(at.company.database.table(str(row["Code"]))):
            raise in_use()
        at.company.remove(OBJECTS, (str(row["Code"]),))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        raise unknown_action(at, action)


def _with_normal_names(row: Fields) -> Fields:
    """Normalise table names as the ERP stores them: capitals, without `@`."""
    main = str(row.get("TableName") or "").removeprefix(TABLE_PREFIX).upper()
    children: list[Value] = []
    for child in rows_of(row, CHILDREN):
        table = str(child.get("TableName") or "").removeprefix(TABLE_PREFIX).upper()
        children.append({**child, "TableName": table, "ObjectName": child.get("ObjectName") or table})
    return {**row, "TableName": main, CHILDREN: children}


def _numbered(at: Operation, row: Fields) -> Fields:
    code = row["Code"]
    numbered = {**row}
    for name, number in ((CHILDREN, "SonNumber"), (_FIND_COLUMNS, "ColumnNumber")):
        rows: list[Value] = [
            {**each, number: position, "Code": code} for position, each in enumerate(rows_of(row, name), 1)
        ]
        numbered[name] = rows
    return {
        **numbered,
        **{
            name: list[Value](number_rows(at.row_type.collections[name], rows_of(row, name)))
            for name in at.row_type.collections
            if name not in {CHILDREN, _FIND_COLUMNS} and row.get(name)
        },
    }


def _check_tables(company: Company, row: Fields) -> None:
    """Check that the tables of an object exist, fit its type and belong to no other.

    Raises:
        SlError: -2028 for a missing table, -5002 (our text) for one that does not fit.
    """
    document = row.get("ObjectType") == "boud_Document"
    main, rows = (DOCUMENT, DOCUMENT_ROWS) if document else (MASTER_DATA, MASTER_DATA_ROWS)
    expected_types = [(str(row["TableName"]), main)]
    expected_types += [(str(each["TableName"]), rows) for each in rows_of(row, CHILDREN)]
    used_tables = set().union(
        *(tables_of_object(each) for each in company.rows(OBJECTS) if each["Code"] != row["Code"])
    )
    for name, kind in expected_types:
        table = company.find(TABLES, name)
        if table is None:
            raise no_match()
        if table.get("TableType") != kind or name in used_tables:
            raise invalid(f"Table does not fit the object  [OUDO.TableName] , '{name}'")


def _add_series(company: Company, code: str) -> None:
    number = max(_FIRST_OWN_SERIES, company.database.table(SERIES).next_number())
    company.database.put(
        SERIES,
        (number,),
        {
            "Series": number,
            "Document": code,
            "DocumentSubType": "--",
            "Name": "Primario",
            "InitialNumber": 1,
            "NextNumber": 1,
            "PeriodIndicator": "Predet.",
            "GroupCode": "sg_Group1",
            "Locked": "tNO",
            "SeriesType": "stDocument",
            "$default": True,
        },
    )

"""Rows of objects that a company defined: plain tables, master data and documents with rows.

Names and values follow the metadata of real companies: flags are plain letters (`Status` `O`/`C`, `Canceled`
`Y`/`N`) and rows carry `LineId` from 1.
"""

from __future__ import annotations

from collections.abc import Container

from erpsim.business.customizing.definitions import OBJECTS
from erpsim.business.rules import Answer, Modification, Operation, PlainRules, unknown_action
from erpsim.company.company import Company
from erpsim.company.errors import already_exists, invalid, not_supported
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.row_types import RowType
from erpsim.company.rows.values import as_int
from erpsim.company.series import take_number

_DOCUMENT_KEY = ("DocEntry",)
_MASTER_OWN: Fields = {"Canceled": "N", "Transfered": "N", "DataSource": "I"}
_DOCUMENT_OWN: Fields = {
    **_MASTER_OWN,
    "Period": 0,
    "Instance": 0,
    "Series": -1,
    "Handwrtten": "N",
    "Status": "O",
    "RequestStatus": "W",
}


def _complete(at: Operation, row: Fields) -> Fields:
    """Return an object with its own fields, and with its key, order and name on the rows of its children.

    Raises:
        SlError: a mandatory field is empty.
    """
    company, row_type = at.company, at.row_type
    properties = row_type.type.properties
    own: Fields = {}
    if row_type.type.key == _DOCUMENT_KEY:
        own = {**_DOCUMENT_OWN, "DocNum": row.get("DocEntry"), "Creator": at.user}
    elif "Object" in properties:
        own = {**_MASTER_OWN, "DocEntry": _next_entry(company, at.set_name)}
    if own:
        own |= {
            "Object": at.set_name,
            "UserSign": company.user_key(at.user),
            "CreateDate": company.today(),
            "CreateTime": company.minute(),
        }
    added = {name: value for name, value in own.items() if name in properties and row.get(name) is None}
    changed = {"UpdateDate": company.today(), "UpdateTime": company.minute()}
    stamps = {name: value for name, value in changed.items() if name in properties}
    completed = _with_children(at, {**row, **added, **stamps})
    _check_mandatory(row_type, completed)
    return completed


def _next_entry(company: Company, set_name: str) -> int:
    return max((as_int(each.get("DocEntry")) for each in company.rows(set_name)), default=0) + 1


_PLAIN = PlainRules(_complete)


class UserObjectRules:
    """Rows of user tables and user objects."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Store a new object.

        Raises:
            SlError: the code or a unique key is taken, a mandatory field is empty.
        """
        row = _defaulted(at.row_type, fields)
        if _definition(at).get("ManageSeries") == "tYES":
            series, number = take_number(at.company, at.set_name, row.get("Series"))
            row |= {"Series": series, "DocNum": number}
        _check_unique(at, row, None)
        key = _PLAIN.create(at, row)
        if at.set_name.startswith("U_") and not at.company.switches.user_tables_roll_back:
            at.company.note_unprotected(at.set_name, at.company.get(at.set_name, key))
        return key

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change an open object. Closed and cancelled objects refuse (assumed, as their window does).

        Raises:
            SlError: -5006 for one closed or cancelled, -2035 for a unique key that is taken.
        """
        _refuse_unless_open(row)
        _check_unique(at, {**row, **change.fields}, row)
        _PLAIN.modify(at, row, change)

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove an object, if its definition allows it."""
        if _definition(at).get("CanDelete", "tYES") != "tYES":
            raise not_supported()
        _PLAIN.delete(at, row)

    def act(self, at: Operation, row: Fields, action: str, /) -> Answer:
        """Close or cancel a document object: `Status` C, `Canceled` Y.

        Raises:
            SlError: -5006 for one closed or cancelled before, and where the definition does not allow the
                action (`CanClose`, `CanCancel`; SAP manual 1.22, 3.16).
        """
        if action not in {"Close", "Cancel"}:
            raise unknown_action(at, action)
        if _definition(at).get(f"Can{action}", "tYES") != "tYES":
            raise not_supported()
        _refuse_unless_open(row)
        changed = {**row, "Status": "C"} if action == "Close" else {**row, "Status": "C", "Canceled": "Y"}
        at.company.update(at.set_name, changed)
        return None


def _definition(at: Operation) -> Fields:
    """Return the company's definition, empty for a table or an object from a metadata export."""
    # Missing members have the metadata's own defaults.
    row = at.company.find(OBJECTS, at.set_name)
    return {} if row is None else {**at.company.row_type(OBJECTS).defaults, **row}


def _refuse_unless_open(row: Fields) -> None:
    if row.get("Status") == "C" or row.get("Canceled") == "Y":
        raise not_supported()


def _defaulted(row_type: RowType, row: Fields) -> Fields:
    defaults = {
        name: row_type.defaults[name]
        for name, prop in row_type.type.properties.items()
        if prop.user_field and prop.default is not None and row.get(name) is None
    }
    children: Fields = {
        name: [_defaulted(nested, each) for each in rows_of(row, name)]
        for name, nested in row_type.collections.items()
        if name in row
    }
    return {**row, **defaults, **children}


def _check_mandatory(row_type: RowType, row: Fields) -> None:
    """Refuse empty mandatory fields; the text is assumed."""
    for name, prop in row_type.type.properties.items():
        if prop.user_field and not prop.nullable and row.get(name) in {None, ""}:
            raise invalid(f"Enter a value in field '{name}' of '{row_type.type.name}'")
    for name, nested in row_type.collections.items():
        for each in rows_of(row, name):
            _check_mandatory(nested, each)


def _check_unique(at: Operation, row: Fields, old: Fields | None) -> None:
    """Check the unique keys of a user table.

    Raises:
        SlError: -2035.
    """
    for table in at.row_type.type.tables:
        for names in at.company.unique_keys(table):
            key_values = [row.get(name) for name in names]
            if any(
                other is not old and [other.get(name) for name in names] == key_values
                for other in at.company.rows(at.set_name)
            ):
                raise already_exists()


def _with_children(at: Operation, row: Fields) -> Fields:
    key_name = at.row_type.type.key[0]
    completed = {**row}
    for name, nested in at.row_type.collections.items():
        properties = nested.type.properties
        if key_name in properties and isinstance(row.get(name), list):
            rows: list[Value] = [
                _child(
                    properties, each, {key_name: row.get(key_name), "VisOrder": order, "Object": at.set_name}
                )
                for order, each in enumerate(rows_of(row, name))
            ]
            completed[name] = rows
    return completed


def _child(columns: Container[str], row: Fields, own: Fields) -> Fields:
    return {**row, **{name: value for name, value in own.items() if name in columns}}

"""Objects that a company defined itself: tables without object, master data and documents with rows.

Names and values as in metadata of real companies: flags are plain letters (`Status` `O`/`C`, `Canceled`
    `Y`/`N`),
rows carry `LineId` from 1.
"""

from __future__ import annotations

from erpsim.entities import Answer, Modification, Operation, PlainRules, unknown_action
from erpsim.errors import not_supported
from erpsim.records import Fields, Key, Value
from erpsim.shapes import Shape
from erpsim.values import as_int

_DOCUMENT_KEY = ("DocEntry",)


def _complete(at: Operation, row: Fields) -> Fields:
    """Return an object with a document object's own fields, and with its key on the rows of its children."""
    company, shape = at.company, at.shape
    if shape.type.key != _DOCUMENT_KEY:
        return _with_children(shape, row, "Code")
    own: Fields = {
        "DocNum": row.get("DocEntry"),
        "Period": as_int(row.get("Period")),
        "Instance": 0,
        "Series": -1,
        "Handwrtten": "N",
        "Status": "O",
        "RequestStatus": "W",
        "Creator": at.user,
        "Canceled": "N",
        "Object": at.set_name,
        "UserSign": 1,
        "Transfered": "N",
        "CreateDate": company.today(),
        "CreateTime": company.minute(),
        "DataSource": "I",
    }
    known = shape.type.properties
    given = {name for name, value in row.items() if value is not None}
    added = {name: value for name, value in own.items() if name in known and name not in given}
    changed = {"UpdateDate": company.today(), "UpdateTime": company.minute()}
    stamps = {name: value for name, value in changed.items() if name in known}
    return _with_children(shape, {**row, **added, **stamps}, "DocEntry")


_PLAIN = PlainRules(_complete)


class UserObjectRules:
    """Rows of user tables and user objects."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Store a new object."""
        return _PLAIN.create(at, fields)

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change an open object; a closed or cancelled one refuses (assumed, as its window does)."""
        if row.get("Status") == "C" or row.get("Canceled") == "Y":
            raise not_supported()
        _PLAIN.modify(at, row, change)

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove an object."""
        _PLAIN.delete(at, row)

    def act(self, at: Operation, row: Fields, action: str, /) -> Answer:
        """Close or cancel a document object: `Status` C, `Canceled` Y.

        Raises:
            SlError: -5006 for one closed or cancelled before.
        """
        if action not in {"Close", "Cancel"}:
            raise unknown_action(at, action)
        if row.get("Status") == "C" or row.get("Canceled") == "Y":
            raise not_supported()
        changed = {**row, "Status": "C"} if action == "Close" else {**row, "Status": "C", "Canceled": "Y"}
        at.company.update(at.set_name, changed)
        return None


def _with_children(shape: Shape, row: Fields, key_name: str) -> Fields:
    """Return the row with its key on the rows of its children."""
    completed = {**row}
    for name, nested in shape.collections.items():
        rows = row.get(name)
        if isinstance(rows, list) and key_name in nested.type.properties:
            children: list[Value] = [
                {**each, key_name: row.get(key_name)} if isinstance(each, dict) else each for each in rows
            ]
            completed[name] = children
    return completed

"""Objects that a company defined itself: tables without object, master data and documents with rows.

Names and values as in metadata of real companies: flags are plain letters (`Status` `O`/`C`, `Canceled` `Y`/`N`),
rows carry `LineId` from 1.
"""

from __future__ import annotations

from erpsim.company import Company
from erpsim.entities import Modification, PlainRules
from erpsim.errors import not_supported
from erpsim.records import Body, Caller, Fields, Key, Value
from erpsim.shapes import Shape
from erpsim.values import as_int

_DOCUMENT_KEY = ("DocEntry",)


class UserObjectRules(PlainRules):
    """Rows of user tables and user objects."""

    def complete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> Fields:
        """Add a document object's own fields, and the parent's key to the rows of its children."""
        shape = company.shape(set_name)
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
            "Creator": caller.user,
            "Canceled": "N",
            "Object": set_name,
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

    def modify(
        self, company: Company, set_name: str, row: Fields, change: Modification, caller: Caller
    ) -> None:
        """Change an open object; a closed or cancelled one refuses (assumed, as its window does)."""
        if row.get("Status") == "C" or row.get("Canceled") == "Y":
            raise not_supported()
        super().modify(company, set_name, row, change, caller)

    def act(
        self, company: Company, set_name: str, row: Fields, action: str, body: Body, caller: Caller
    ) -> tuple[str, Key] | None:
        """Close or cancel a document object: `Status` C, `Canceled` Y.

        Raises:
            SlError: -5006 for one closed or cancelled before.
        """
        if action not in {"Close", "Cancel"}:
            return super().act(company, set_name, row, action, body, caller)
        if row.get("Status") == "C" or row.get("Canceled") == "Y":
            raise not_supported()
        changed = {**row, "Status": "C"} if action == "Close" else {**row, "Status": "C", "Canceled": "Y"}
        company.update(set_name, changed)
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

"""Merging and replacing rows of collections.

This is the most error-prone area of the real interface. Sources: live tests of a Catalan integrator (position
overwrites), comments in a .NET client and a product test (the replace header deletes), and recordings of the
client b1sl-python on 1000310 (addresses).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.row_types import RowType

COLLECTION_KEYS: Mapping[str, str] = {
    "DocumentLine": "LineNum",
    "DocumentAdditionalExpense": "LineNum",
    "DocumentInstallment": "InstallmentId",
    "StockTransferLine": "LineNum",
    "JournalEntryLine": "Line_ID",
    "PaymentInvoice": "LineNum",
    "PaymentCheck": "LineNum",
    "PaymentCreditCard": "LineNum",
    "PaymentAccount": "LineNum",
    "ItemPrice": "PriceList",
    "ItemWarehouseInfo": "WarehouseCode",
    "ItemBarCode": "AbsEntry",
    "ContactEmployee": "InternalCode",
    "BPAddress": "RowNum",
    "BPBankAccount": "InternalKey",
    "EmployeeRolesInfo": "LineNum",
    "ValidValueMD": "Value",
}
"""Property that identifies a row of a collection. Rows of user objects have `LineId`."""
# Properties that must all match for a row to be an existing one. Any other row is new.
_ALL_NEEDED: Mapping[str, tuple[str, ...]] = {
    "BPAddress": ("BPCode", "AddressName", "AddressType", "RowNum"),
}
_USER_ROW_KEY = "LineId"


@attrs.frozen
class MergedRow:
    """One row after a change.

    Args:
        old: the row before the change; None for a new one.
        sent: the row in the change, empty if it contained none.
        row: the row after the change.
    """

    old: Fields | None
    sent: Fields
    row: Fields


def row_key(row_type: RowType) -> str | None:
    """Return the property that identifies rows of this type, or None if rows are identified by position."""
    key_name = COLLECTION_KEYS.get(row_type.type.name)
    if key_name is None and _USER_ROW_KEY in row_type.type.properties:
        return _USER_ROW_KEY
    return key_name if key_name in row_type.type.properties else None


def merge_rows(
    row_type: RowType, old: Iterable[Fields], sent: Iterable[Fields], *, replace: bool, append: bool = False
) -> list[MergedRow]:
    """Apply the rows of a PATCH to a collection.

    Merging: a row with a key changes the row of that key. **A row without a key overwrites the row at its own
    position**, or is added if `append` is set. Rows beyond the last one are added; rows that were not sent
    stay. An unknown key also adds a row (assumed).

    Replacing (`B1S-ReplaceCollectionsOnPatch: true`, and PUT): rows that were not sent are removed, and rows
    without a key are new.
    """
    needed = _ALL_NEEDED.get(row_type.type.name)
    if needed:
        return _merge_identified(row_type, needed, list(old), sent, replace=replace)
    rows = list(old)
    key = row_key(row_type)
    by_key = {row.get(key): index for index, row in enumerate(rows)} if key else {}
    changes: dict[int, Fields] = {}
    added: list[Fields] = []
    for position, each in enumerate(sent):
        value = each.get(key) if key else None
        if value is not None:
            index = by_key.get(value)
        else:
            index = position if position < len(rows) and not replace and not (append and key) else None
        if index is None:
            added.append(each)
        else:
            changes[index] = {**changes.get(index, {}), **_without_key(each, key)}
    if replace:
        merged = [
            _merged(row_type, rows[index], sent_row, replace=True, append=append)
            for index, sent_row in changes.items()
        ]
    else:
        merged = [
            _merged(row_type, row, changes.get(index, {}), replace=False, append=append)
            for index, row in enumerate(rows)
        ]
    return merged + [MergedRow(None, each, each) for each in added]


def _merge_identified(
    row_type: RowType, needed: tuple[str, ...], rows: list[Fields], sent: Iterable[Fields], *, replace: bool
) -> list[MergedRow]:
    """Change the rows that match all identifying properties, and number the others as new."""
    # A new row gets the number after the highest existing one, also when replacing (recorded: 0, 1, 2 become
    # 3, 4, 5).
    by_names = {_identity(row, needed): row for row in rows}
    changes: dict[tuple[Value, ...], Fields] = {}
    added: list[Fields] = []
    for each in sent:
        names = _identity(each, needed)
        if names in by_names:
            changes[names] = each
        else:
            added.append({name: value for name, value in each.items() if name != needed[-1]})
    merged = [
        _merged(row_type, row, changes.get(names, {}), replace=replace, append=False)
        for names, row in by_names.items()
        if names in changes or not replace
    ]
    following = (
        max((number for row in rows if isinstance(number := row.get(needed[-1]), int)), default=-1) + 1
    )
    numbered = [{**row, needed[-1]: number} for number, row in enumerate(added, following)]
    return merged + [MergedRow(None, row, row) for row in numbered]


def _identity(row: Fields, names: tuple[str, ...]) -> tuple[Value, ...]:
    return tuple(row.get(name) for name in names)


def _without_key(row: Fields, key: str | None) -> Fields:
    return {name: value for name, value in row.items() if name != key}


def _merged(row_type: RowType, old: Fields, sent: Fields, *, replace: bool, append: bool) -> MergedRow:
    return MergedRow(old, sent, merge_fields(row_type, old, sent, replace=replace, append=append))


def merge_fields(
    row_type: RowType, old: Fields, sent: Fields, *, replace: bool, append: bool = False
) -> Fields:
    """Merge the sent fields into a row, including nested rows and collections."""
    row = {**old}
    for name, value in sent.items():
        if name in row_type.collections and isinstance(value, list):
            row[name] = _as_values(
                merge_rows(
                    row_type.collections[name],
                    rows_of(old, name),
                    rows_of(sent, name),
                    replace=replace,
                    append=append,
                )
            )
        elif name in row_type.complex and isinstance(value, dict):
            before = old.get(name)
            row[name] = merge_fields(
                row_type.complex[name],
                before if isinstance(before, dict) else {},
                value,
                replace=replace,
                append=append,
            )
        else:
            row[name] = value
    return row


def _as_values(merged: Iterable[MergedRow]) -> Value:
    return [each.row for each in merged]


def differing(row_type: RowType, row: Fields, sent: Fields) -> Fields:
    """Return only the sent fields that differ from the row, so that a client may send back what it read."""
    return {name: value for name, value in sent.items() if _differs(row_type, row, name, value)}


def _differs(row_type: RowType, row: Fields, name: str, value: Value) -> bool:
    if name in row_type.collections:
        stored, sent = rows_of(row, name), rows_of({name: value}, name)
        nested = row_type.collections[name]
        return len(sent) > len(stored) or any(
            differing(nested, old, new) for old, new in zip(stored, sent, strict=False)
        )
    if name in row_type.complex:
        before = row.get(name)
        nested = row_type.complex[name]
        old = before if isinstance(before, dict) else {}
        return isinstance(value, dict) and bool(differing(nested, old, value))
    return value != row.get(name, row_type.defaults.get(name))


def rows_of(row: Mapping[str, Value], name: str) -> list[Fields]:
    """Return the rows of a collection, an empty list when there are none."""
    value = row.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def number_rows(row_type: RowType, rows: list[Fields], first: int = 0) -> list[Fields]:
    """Number the rows without a number. Existing numbers stay."""
    key = row_key(row_type)
    if key is None or row_type.type.properties[key].type_name != "Edm.Int32":
        return rows
    numbers = [number for row in rows if isinstance(number := row.get(key), int)]
    following = max([*numbers, first - 1]) + 1
    numbered: list[Fields] = []
    for row in rows:
        if row.get(key) is None:
            numbered.append({key: following, **{name: value for name, value in row.items() if name != key}})
            following += 1
        else:
            numbered.append(row)
    return numbered

"""Definitions that the service needs in the ERP, from the JSON files in this package."""

from functools import cache
from importlib import resources
from typing import Final

import msgspec

_FOLDER: Final = "definitions"


class ValidValue(msgspec.Struct, frozen=True):
    """Valid value of a field."""

    value: str
    description: str


class FieldDefinition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """User field.

    Attributes:
        name: name without `U_`.
        type: `db_Alpha`, `db_Numeric`, `db_Float`, `db_Date`, `db_Memo`.
        sub_type: kind of number of a `db_Float`.
        size: maximum characters or digits, if the type has a size.
        valid_values: required values. The ERP may have more.
    """

    name: str
    description: str
    type: str
    sub_type: str = msgspec.field(name="subType", default="st_None")
    size: int | None = None
    mandatory: bool = False
    default: str | None = None
    valid_values: tuple[ValidValue, ...] = msgspec.field(name="validValues", default=())


class TableDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """User table of type `bott_Document`, `bott_DocumentLines` or `bott_NoObject`. Its name has no `@`."""

    name: str
    description: str
    type: str


class FieldGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fields of one table.

    Attributes:
        field_table: table as field definitions name it, like `@LIB_ODEV` or `ORPD`.
        table: table definition. None for a table of the ERP.
    """

    field_table: str = msgspec.field(name="fieldTable")
    table: TableDefinition | None = None
    fields: tuple[FieldDefinition, ...]


class FindColumn(msgspec.Struct, frozen=True):
    """Column of the ERP's search window."""

    column: str
    description: str


class ObjectDefinition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """User-defined object with a main table and child tables."""

    code: str
    name: str
    table: str
    type: str
    can: dict[str, bool]
    children: tuple[str, ...]
    find_columns: tuple[FindColumn, ...] = msgspec.field(name="findColumns")


class Definitions(msgspec.Struct, frozen=True):
    """All definitions, in the order of creation."""

    groups: tuple[FieldGroup, ...]
    user_object: ObjectDefinition

    @property
    def tables(self) -> tuple[TableDefinition, ...]:
        """Tables of this service."""
        return tuple(group.table for group in self.groups if group.table is not None)

    def valid_values(self, field_table: str, name: str) -> tuple[ValidValue, ...]:
        """Return the required values of a field.

        Raises:
            KeyError: the field is not one of ours.
        """
        for group in self.groups:
            for each in group.fields:
                if (group.field_table, each.name) == (field_table, name):
                    return each.valid_values
        raise KeyError(f"{field_table}.{name}")


@cache
def load_definitions() -> Definitions:
    """Load the definitions, once per process."""
    folder = resources.files("supplier_returns.metadata") / _FOLDER
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    contents = [(file.name, file.read_bytes()) for file in files if file.name.endswith(".json")]
    groups = [
        msgspec.json.decode(content, type=FieldGroup) for name, content in contents if name[:1].isdigit()
    ]
    (user_object,) = (
        msgspec.json.decode(content, type=ObjectDefinition)
        for name, content in contents
        if name.startswith("object_")
    )
    return Definitions(tuple(groups), user_object)

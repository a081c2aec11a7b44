"""What the service needs in the ERP, read from the JSON files beside this module: the one source for all."""

from functools import cache
from importlib import resources
from typing import Final

import msgspec

_FOLDER: Final = "definitions"


class ValidValue(msgspec.Struct, frozen=True):
    """A value that a field may have."""

    value: str
    description: str


class FieldDefinition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user field.

    Attributes:
        name: without `U_`.
        type: `db_Alpha`, `db_Numeric`, `db_Float`, `db_Date`, `db_Memo`.
        sub_type: what kind of number a `db_Float` is.
        size: longest text or number of digits; None where the type has none.
        valid_values: the values offered; the ERP may have more.
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
    """A user table: `bott_Document`, `bott_DocumentLines` or `bott_NoObject`; its name without `@`."""

    name: str
    description: str
    type: str


class FieldGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of one table.

    Attributes:
        field_table: the table as fields name it, like `@LIB_ODEV` or `ORPD`.
        table: the table itself, where it is ours; None for the ERP's own.
    """

    field_table: str = msgspec.field(name="fieldTable")
    table: TableDefinition | None = None
    fields: tuple[FieldDefinition, ...]


class FindColumn(msgspec.Struct, frozen=True):
    """A column of the ERP's own search window."""

    column: str
    description: str


class ObjectDefinition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A user-defined object over a main table and its children."""

    code: str
    name: str
    table: str
    type: str
    can: dict[str, bool]
    children: tuple[str, ...]
    find_columns: tuple[FindColumn, ...] = msgspec.field(name="findColumns")


class Definitions(msgspec.Struct, frozen=True):
    """Everything, in the order in which it has to be created."""

    groups: tuple[FieldGroup, ...]
    user_object: ObjectDefinition

    @property
    def tables(self) -> tuple[TableDefinition, ...]:
        """Our own tables."""
        return tuple(group.table for group in self.groups if group.table is not None)

    def valid_values(self, field_table: str, name: str) -> tuple[ValidValue, ...]:
        """Return the values that we offer for a field.

        Raises:
            KeyError: it is not one of our fields.
        """
        for group in self.groups:
            for each in group.fields:
                if (group.field_table, each.name) == (field_table, name):
                    return each.valid_values
        raise KeyError(f"{field_table}.{name}")


@cache
def load_definitions() -> Definitions:
    """Read the files; they are part of the package and don't change while it runs."""
    folder = resources.files("supplier_returns.metadata") / _FOLDER
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    read = [(file.name, file.read_bytes()) for file in files if file.name.endswith(".json")]
    groups = [msgspec.json.decode(content, type=FieldGroup) for name, content in read if name[:1].isdigit()]
    (user_object,) = (
        msgspec.json.decode(content, type=ObjectDefinition)
        for name, content in read
        if name.startswith("object_")
    )
    return Definitions(tuple(groups), user_object)

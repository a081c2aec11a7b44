"""Definitions in the ERP."""

from collections.abc import Mapping
from typing import Final

import msgspec
from attrs import field, frozen

from supplier_returns.saved_queries.installer import InstalledQuery

YES: Final = "tYES"
NO: Final = "tNO"


class InstalledValue(msgspec.Struct):
    """Valid value in the ERP."""

    value: str = msgspec.field(name="Value")
    description: str | None = msgspec.field(name="Description", default=None)


class InstalledField(msgspec.Struct, kw_only=True):
    """User field in the ERP."""

    table: str = msgspec.field(name="TableName")
    name: str = msgspec.field(name="Name")
    id: int = msgspec.field(name="FieldID")
    type: str = msgspec.field(name="Type")
    sub_type: str | None = msgspec.field(name="SubType", default=None)
    size: int | None = msgspec.field(name="Size", default=None)
    edit_size: int | None = msgspec.field(name="EditSize", default=None)
    values: list[InstalledValue] = msgspec.field(name="ValidValuesMD", default_factory=list)

    @property
    def length(self) -> int:
        """Maximum characters of a value."""
        return max(self.size or 0, self.edit_size or 0)


class InstalledTable(msgspec.Struct):
    """User table in the ERP."""

    name: str = msgspec.field(name="TableName")
    type: str = msgspec.field(name="TableType")


class InstalledChild(msgspec.Struct):
    """Child table of an object in the ERP."""

    table: str = msgspec.field(name="TableName")


class InstalledObject(msgspec.Struct, kw_only=True):
    """User-defined object in the ERP."""

    code: str = msgspec.field(name="Code")
    table: str = msgspec.field(name="TableName")
    type: str = msgspec.field(name="ObjectType")
    can_find: str | None = msgspec.field(name="CanFind", default=NO)
    can_log: str | None = msgspec.field(name="CanLog", default=NO)
    can_close: str | None = msgspec.field(name="CanClose", default=NO)
    children: list[InstalledChild] = msgspec.field(name="UserObjectMD_ChildTables", default_factory=list)

    @property
    def can(self) -> Mapping[str, bool]:
        """Abilities of the object that the service needs."""
        flags = {"CanFind": self.can_find, "CanLog": self.can_log, "CanClose": self.can_close}
        return {name: value == YES for name, value in flags.items()}


@frozen(kw_only=True)
class Installed:
    """Definitions found in the ERP.

    Attributes:
        fields: by table and name.
        invisible: entity sets that the Service Layer does not show, or not with all their fields, although
            they are defined.
    """

    tables: Mapping[str, InstalledTable]
    fields: Mapping[tuple[str, str], InstalledField]
    user_object: InstalledObject | None
    queries: tuple[InstalledQuery, ...]
    invisible: frozenset[str] = field(factory=frozenset)

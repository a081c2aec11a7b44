"""Read the valid values of user fields."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from erpclient import Caller, ErpClient, ErpRefused
from erpclient.odata import ListQuery, quote_string
from supplier_returns.metadata.definitions import ValidValue
from supplier_returns.metadata.installed import InstalledValue
from supplier_returns.settings.custom_fields import CustomField

PAGE_ROWS: Final = 500
PLANNING_TABLE: Final = "@LIB_ODEV"
RETURN_TABLE: Final = "ORPD"
ValidValues: TypeAlias = Mapping[tuple[str, str], tuple[ValidValue, ...]]
"""Valid values by table and field name."""


class _Field(msgspec.Struct):
    table: str = msgspec.field(name="TableName")
    name: str = msgspec.field(name="Name")
    values: list[InstalledValue] = msgspec.field(name="ValidValuesMD", default_factory=list)


async def read_valid_values(
    erp: ErpClient, caller: Caller, custom_fields: Sequence[CustomField]
) -> ValidValues | None:
    """Return the valid values of the header's fields and the installation's fields.

    Returns:
        None if this user may not read definitions.
    """
    # Definitions name user fields without `U_`.
    names = " or ".join(
        f"Name eq {quote_string(each.name[2:])}" for each in custom_fields if each.name[:2] == "U_"
    )
    return_condition = f" or (TableName eq '{RETURN_TABLE}' and ({names}))" if names else ""
    query = ListQuery(
        select=("TableName", "Name", "ValidValuesMD"),
        filter=f"TableName eq '{PLANNING_TABLE}'{return_condition}",
        top=PAGE_ROWS,
    )
    try:
        page = await erp.list("UserFieldsMD", query, caller=caller)
    except ErpRefused:
        # Most users have no right to definitions.
        return None
    fields = msgspec.json.decode(page.rows, type=list[_Field])
    return {
        (each.table, each.name): tuple(
            ValidValue(value.value, value.description or value.value) for value in each.values
        )
        for each in fields
    }

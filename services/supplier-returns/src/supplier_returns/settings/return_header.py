"""Header fields of a return that this service writes itself."""

from decimal import Decimal
from typing import Final, TypeAlias

KEY_FIELD: Final = "U_LIB_Clave"
PLANNING_FIELD: Final = "U_LIB_Odev"

FieldValue: TypeAlias = str | int | Decimal
"""What a field of the return's header may hold."""

OWN_NAMES: Final = frozenset(
    {
        "CardCode",
        "DocDate",
        "DocDueDate",
        "TaxDate",
        "Comments",
        KEY_FIELD,
        PLANNING_FIELD,
        "Series",
        "BPL_IDAssignedToInvoice",
        "DocCurrency",
        "DocumentLines",
    }
)
"""What `write_return` fills in itself; no setting may name it."""

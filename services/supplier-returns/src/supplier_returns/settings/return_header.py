"""Header fields of a return that this service fills in."""

from decimal import Decimal
from typing import Final, TypeAlias

KEY_FIELD: Final = "U_LIB_Clave"
PLANNING_FIELD: Final = "U_LIB_Odev"

FieldValue: TypeAlias = str | int | Decimal
"""Value of a header field of the return."""

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
"""Fields that `write_return` fills in. No setting may name them."""

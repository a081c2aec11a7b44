"""The folios of return documents: given by the ERP's tax add-on, some time after the document was made."""

from collections.abc import Sequence
from typing import Final

import msgspec

from erpclient import Caller, ErpClient, ErpReplyUnreadable
from erpclient.odata import ListQuery
from supplier_returns.web.error_map import needing_right

RETURNS: Final = "PurchaseReturns"
AT_ONCE: Final = 40
"""Documents asked for in one call: their conditions fit the length that web servers take."""


class _Row(msgspec.Struct):
    DocEntry: int
    FolioNumber: int | None = None


_ROWS: Final = msgspec.json.Decoder(list[_Row])


async def read_folios(doc_entries: Sequence[int], erp: ErpClient, caller: Caller) -> dict[int, int]:
    """Return the folio of each return that has one, by `DocEntry`; one call for every 40 documents.

    Raises:
        ErpError: The ERP could not be asked.
    """
    folios: dict[int, int] = {}
    for start in range(0, len(doc_entries), AT_ONCE):
        some = doc_entries[start : start + AT_ONCE]
        query = ListQuery(
            select=tuple(_Row.__struct_fields__),
            filter=" or ".join(f"DocEntry eq {entry}" for entry in some),
            top=AT_ONCE,
        )
        with needing_right(RETURNS, task="ver las devoluciones a proveedores"):
            found = await erp.list(RETURNS, query, caller=caller)
        try:
            rows = _ROWS.decode(found.rows)
        except msgspec.DecodeError as error:
            raise ErpReplyUnreadable("a return without its key") from error
        folios |= {row.DocEntry: row.FolioNumber for row in rows if row.FolioNumber}
    return folios

"""Reads the folios of returns."""

from collections.abc import Sequence
from typing import Final

import msgspec

from erpclient import Caller, ErpClient, ErpReplyUnreadable
from erpclient.odata import ListQuery
from supplier_returns.web.rights import needing_right

RETURNS: Final = "PurchaseReturns"
AT_ONCE: Final = 40
"""Documents asked for in one call: their conditions fit the length that web servers take."""


class _ReturnRow(msgspec.Struct):
    DocEntry: int
    FolioNumber: int | None = None


_RETURN_ROWS: Final = msgspec.json.Decoder(list[_ReturnRow])


async def read_folios(doc_entries: Sequence[int], erp: ErpClient, caller: Caller) -> dict[int, int]:
    """Return the folio of each return that has one, by `DocEntry`; one call for every 40 documents.

    Raises:
        ErpError: The ERP could not be asked.
    """
    folios: dict[int, int] = {}
    for start in range(0, len(doc_entries), AT_ONCE):
        some = doc_entries[start : start + AT_ONCE]
        query = ListQuery(
            select=tuple(_ReturnRow.__struct_fields__),
            filter=" or ".join(f"DocEntry eq {entry}" for entry in some),
            top=AT_ONCE,
        )
        with needing_right(RETURNS, task="ver las devoluciones a proveedores"):
            found = await erp.list(RETURNS, query, caller=caller)
        try:
            rows = _RETURN_ROWS.decode(found.rows)
        except msgspec.DecodeError as error:
            raise ErpReplyUnreadable("a return without its key") from error
        folios |= {row.DocEntry: row.FolioNumber for row in rows if row.FolioNumber}
    return folios

"""Read the folios of returns."""

from collections.abc import Sequence
from typing import Final

import msgspec

from erpclient import Caller, ErpClient, ErpReplyUnreadable
from erpclient.odata import ListQuery
from supplier_returns.web.rights import needing_right

RETURNS: Final = "PurchaseReturns"
PAGE_SIZE: Final = 40
"""Documents in one call, so that the filter fits the URL length of web servers."""


class _ReturnRow(msgspec.Struct):
    DocEntry: int
    FolioNumber: int | None = None


_RETURN_ROWS: Final = msgspec.json.Decoder(list[_ReturnRow])


async def read_folios(doc_entries: Sequence[int], erp: ErpClient, caller: Caller) -> dict[int, int]:
    """Return the folio of each return that has one, by `DocEntry`. Each call reads 40 documents.

    Raises:
        ErpError: the request to the ERP failed.
    """
    folios: dict[int, int] = {}
    for start in range(0, len(doc_entries), PAGE_SIZE):
        page_entries = doc_entries[start : start + PAGE_SIZE]
        query = ListQuery(
            select=tuple(_ReturnRow.__struct_fields__),
            filter=" or ".join(f"DocEntry eq {entry}" for entry in page_entries),
            top=PAGE_SIZE,
        )
        with needing_right(RETURNS, task="ver las devoluciones a proveedores"):
            page = await erp.list(RETURNS, query, caller=caller)
        try:
            rows = _RETURN_ROWS.decode(page.rows)
        except msgspec.DecodeError as error:
            raise ErpReplyUnreadable("a return without its key") from error
        folios |= {row.DocEntry: row.FolioNumber for row in rows if row.FolioNumber}
    return folios

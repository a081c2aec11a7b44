"""Rows of stored queries: repeated values are shared, and an older text is recognized by its version."""

import tracemalloc
from decimal import Decimal

import msgspec
import pytest

from supplier_returns.saved_queries.rows import ReceiptRow, SharedLines, StockRow

ROWS = 20_000
MAX_BYTES_A_LINE = 300
"""200,000 lines then take 60 MB; each with its own values took 640 bytes."""


def row(number: int) -> bytes:
    document = number // 5
    return msgspec.json.encode(
        {
            "DocEntry": 100_000 + document, "LineNum": number % 5, "DocNum": 800_000 + document,
            "DocDate": f"2025{document % 12 + 1:02d}{document % 28 + 1:02d}", "CardCode": f"P{document % 60}",
            "CardName": f"Proveedor con nombre {document % 60}", "LicTradNum": f"76123{document % 60}-K",
            "NumAtCard": f"F-{document}", "ItemCode": f"ART-{number % 2_000:05d}",
            "OpenQty": number % 60 + 0.5, "OpenInvQty": number % 60 + 0.5, "NumPerMsr": 1.0,
            "Price": number % 900 + 0.25, "DocCur": "CLP", "TaxCode": "IVA", "BPLId": 1, "Filas": 0,
            "Version": 2,
        }
    )  # fmt: skip


def test_a_line_takes_little_memory() -> None:
    decode = msgspec.json.Decoder(ReceiptRow).decode
    texts = [row(number) for number in range(ROWS)]
    tracemalloc.start()
    try:
        keep = SharedLines().keep
        lines = [keep(decode(text)) for text in texts]
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used / len(lines) < MAX_BYTES_A_LINE
    first, fifth = lines[0], lines[4]
    assert (first.supplier_name, first.price) == ("Proveedor con nombre 0", Decimal("0.25"))
    assert first.doc_date is fifth.doc_date
    assert first.supplier_reference is fifth.supplier_reference


def test_an_invalid_date_is_an_error() -> None:
    decode = msgspec.json.Decoder(ReceiptRow).decode
    with pytest.raises(ValueError, match="isoformat"):
        SharedLines().keep(msgspec.structs.replace(decode(row(0)), doc_date=None))


def test_the_version_of_a_row_of_an_older_text_can_be_read() -> None:
    older = {
        "ItmsGrpCod": 100, "ItemCode": "A", "ItemName": "a", "InvntryUom": "un", "OnHand": 1.0,
        "IsCommited": 0.0, "OnOrder": 0.0, "ManBtchNum": "N", "ManSerNum": "N", "validFor": "Y",
        "frozenFor": "N", "Filas": 0, "Version": 2,
    }  # fmt: skip
    row = msgspec.json.decode(msgspec.json.encode(older), type=StockRow)
    assert row.version == 2

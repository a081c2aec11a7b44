"""Body of a return document. Equal plannings produce equal bytes."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec
from attrs import field, frozen

from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import Allocation
from supplier_returns.planning.model.planning import Planning
from supplier_returns.quantities import rounded
from supplier_returns.settings.custom_fields import CustomField
from supplier_returns.settings.return_header import KEY_FIELD, PLANNING_FIELD, FieldValue

RECEIPT_TYPE: Final = 20
"""ERP object type of goods receipts, the base documents of return lines."""

MAX_COMMENTS: Final = 254
"""Maximum characters of `Comments`. The ERP rejects a document with a longer text."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@frozen
class ReturnFields:
    """Names that differ between installations and between versions of the Service Layer.

    Attributes:
        transfer_kind: user field of the return for `IndTraslado`. Empty omits it.
        dispatch_kind: user field of the return for `TipoDespacho`. Empty omits it.
        batch_number: property with the number of a batch: `BatchNumber` in v1, `BatchNumberProperty` in v2
            (their
        metadata).
        constants: further fields of every return.
        custom: further fields that users fill in. Answers to fields that were removed since are not sent.
    """

    transfer_kind: str = ""
    dispatch_kind: str = ""
    batch_number: str = "BatchNumber"
    constants: Mapping[str, FieldValue] = field(factory=dict)
    custom: Sequence[CustomField] = ()


@frozen
class ReturnBody:
    """Body of a post.

    Attributes:
        content: JSON.
        digest: SHA-256 of the content, in hexadecimal.
    """

    content: bytes
    digest: str


DocumentLines = Mapping[int, Sequence[Allocation]]
"""Content of a document by its 0-based lines. Each line has exactly one receipt line as its base."""


def write_return(
    planning: Planning, document: SupplierDocument, fields: ReturnFields, lines: DocumentLines | None = None
) -> ReturnBody:
    """Encode the body of one document that has a key.

    A planning that is read from the record produces the same bytes as the planning that was written. Lines
    contain only the base line, quantities and picks: the ERP copies item, price and taxes from the receipt.

    Args:
        planning: planning of the document.
        document: document to encode.
        fields: field names of this installation.
        lines: lines of the document, if the caller already has them.
    """
    if lines is None:
        lines = lines_by_document(planning).get(document.doc_id, {})
    header = planning.header
    values = header.return_fields or {}
    body: dict[str, Any] = {
        **fields.constants,
        **{each.name: each.sent(values[each.name]) for each in fields.custom if each.name in values},
        "CardCode": document.card_code,
        "DocDate": header.posting_date.isoformat(),
        "DocDueDate": header.posting_date.isoformat(),
        "TaxDate": header.document_date.isoformat(),
        "Comments": (header.comment or f"Devolución de la planificación {planning.number}")[:MAX_COMMENTS],
        KEY_FIELD: document.key,
        PLANNING_FIELD: planning.id,
    }
    if header.series is not None:
        body["Series"] = header.series
    # With several branches the ERP refuses a document without one ("Specify an active branch").
    if document.branch is not None:
        body["BPL_IDAssignedToInvoice"] = document.branch
    if document.currency:
        body["DocCurrency"] = document.currency
    if fields.transfer_kind:
        body[fields.transfer_kind] = header.transfer_kind
    if fields.dispatch_kind and header.dispatch_kind:
        body[fields.dispatch_kind] = header.dispatch_kind
    body["DocumentLines"] = [
        _line(position, parts, header.whs_code, fields) for position, parts in sorted(lines.items())
    ]
    content = _ENCODER.encode(body)
    return ReturnBody(content, hashlib.sha256(content).hexdigest())


def lines_by_document(planning: Planning) -> Mapping[int, DocumentLines]:
    """Return the lines of each document that has any, in one pass over the planning."""
    documents: defaultdict[int, defaultdict[int, list[Allocation]]] = defaultdict(lambda: defaultdict(list))
    for line in planning.lines:
        for part in line.allocations:
            documents[part.doc_id][part.position].append(part)
    return documents


def _line(position: int, parts: Sequence[Allocation], whs_code: str, fields: ReturnFields) -> dict[str, Any]:
    receipt = parts[0].receipt
    line: dict[str, Any] = {
        "BaseType": RECEIPT_TYPE,
        "BaseEntry": receipt.doc_entry,
        "BaseLine": receipt.line_num,
        # `Quantity` is in the unit of the receipt line, which may be a box. Picks are in inventory units.
        "Quantity": rounded(sum((part.document for part in parts), Decimal(0))),
        "WarehouseCode": whs_code,
    }
    # The ERP rejects an empty collection, so omit it (an integrator's notes).
    batches = _sums((part.batch, part.inventory) for part in parts)
    if batches:
        line["BatchNumbers"] = [
            # `BaseLineNumber` is the index of the line in this document, not the line of the receipt.
            {fields.batch_number: number, "Quantity": quantity, "BaseLineNumber": position}
            for number, quantity in batches.items()
        ]
    serials = _sums((part.serial, part.inventory) for part in parts)
    if serials:
        line["SerialNumbers"] = [
            {"InternalSerialNumber": number, "Quantity": quantity, "BaseLineNumber": position}
            for number, quantity in serials.items()
        ]
    return line


def _sums(pairs: Iterable[tuple[str | None, Decimal]]) -> dict[str, Decimal]:
    sums: dict[str, Decimal] = {}
    for number, quantity in pairs:
        if number is not None:
            sums[number] = sums.get(number, Decimal(0)) + quantity
    return {number: rounded(quantity) for number, quantity in sums.items()}

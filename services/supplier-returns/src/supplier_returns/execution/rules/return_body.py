"""The body of a return document, made of a planning alone: equal plannings give equal bytes."""

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
"""The ERP's number for goods receipts, which the lines of a return are based on."""

MAX_COMMENTS: Final = 254
"""Characters of `Comments`; one more and the ERP refuses the document."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@frozen
class ReturnFields:
    """Names that differ between installations and between versions of the Service Layer.

    Attributes:
        transfer_kind: User field of the return for `IndTraslado`, empty to leave it out.
        dispatch_kind: User field of the return for `TipoDespacho`, empty to leave it out.
        batch_number: Property of a batch row that holds its number: `BatchNumber` in v1,
            `BatchNumberProperty` in v2 (their metadata).
        constants: Further fields of every return.
        custom: Further fields that plannings have answers for; what is no longer asked for is not sent.
    """

    transfer_kind: str = ""
    dispatch_kind: str = ""
    batch_number: str = "BatchNumber"
    constants: Mapping[str, FieldValue] = field(factory=dict)
    custom: Sequence[CustomField] = ()


@frozen
class ReturnBody:
    """What is posted for one document.

    Attributes:
        content: JSON.
        digest: SHA-256 of it in hexadecimal.
    """

    content: bytes
    digest: str


DocumentLines = Mapping[int, Sequence[Allocation]]
"""What is in a document, by its 0-based lines; each line has one receipt line behind it."""


def write_return(
    planning: Planning, document: SupplierDocument, fields: ReturnFields, lines: DocumentLines | None = None
) -> ReturnBody:
    """Write the body of one document of a planning; the document has its key.

    It is the same, byte for byte, of a planning that was just computed and of one that the record tells.
    Only base lines, quantities and picks are sent of the lines: item, price and taxes come from the receipt.

    Args:
        planning: What the document is of.
        document: Which.
        fields: Names in this installation.
        lines: The document's, where they were looked up already.
    """
    if lines is None:
        lines = lines_by_document(planning).get(document.doc_id, {})
    header = planning.header
    answers = header.return_fields or {}
    body: dict[str, Any] = {
        **fields.constants,
        **{each.name: each.sent(answers[each.name]) for each in fields.custom if each.name in answers},
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
    """Return what is in each document that has anything, in one walk over the planning."""
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
        "Quantity": rounded(sum((part.document for part in parts), Decimal(0))),
        "WarehouseCode": whs_code,
    }
    # Without a selection the collection has to be absent: an empty one is refused (an integrator's notes).
    batches = _sums((part.batch, part.inventory) for part in parts)
    if batches:
        line["BatchNumbers"] = [
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

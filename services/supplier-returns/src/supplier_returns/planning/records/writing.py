"""Encode plannings as records of `LIB_ODEV`."""

from collections.abc import Collection, Mapping
from typing import Any, Final

import msgspec

from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warnings import write_codes
from supplier_returns.planning.records.rows import (
    ALLOCATION,
    ALLOCATIONS,
    CLOSING,
    DOCUMENT,
    DOCUMENTS,
    EXECUTION,
    HEAD,
    LINE,
    LINES,
    RETURN_FIELDS,
    WARNING_CODES,
)

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


def write_header(planning: Planning) -> bytes:
    """Encode the fields of the header."""
    return _ENCODER.encode(_head_fields(planning))


def write_planning(planning: Planning) -> bytes:
    """Encode the whole planning with every field of every row. A None clears the stored value."""
    parts = [(line, part) for line in planning.lines for part in line.allocations]
    return _ENCODER.encode(
        {
            **_head_fields(planning),
            LINES: [LINE.write(line) for line in planning.lines],
            ALLOCATIONS: [
                {"LineId": number, "U_LinRef": line.line_id, **ALLOCATION.write(part)}
                for number, (line, part) in enumerate(parts, start=1)
            ],
            DOCUMENTS: [_write_document(document, planning) for document in planning.documents],
        }
    )


def write_progress(planning: Planning, *, doc_ids: Collection[int] = (), with_lines: bool = False) -> bytes:
    """Encode the changes of an execution for a merge: the header, some documents, and the line states.

    Args:
        planning: new state of the planning.
        doc_ids: documents to write. A missing folio is not written, because a request for the tax documents
            may
        have stored it meanwhile.
        with_lines: whether to write the line states too.
    """
    body = _head_fields(planning)
    if with_lines:
        rows = (LINE.write(line) for line in planning.lines)
        # A merge changes only the given fields of a row.
        body[LINES] = [{name: row[name] for name in ("LineId", "U_Estado")} for row in rows]
    if doc_ids:
        body[DOCUMENTS] = [
            _write_progress_of(document, planning)
            for document in planning.documents
            if document.doc_id in doc_ids
        ]
    return _ENCODER.encode(body)


def write_folios(folios: Mapping[int, int]) -> bytes:
    """Encode folios by document number, for a merge that keeps all other fields."""
    return _ENCODER.encode(
        {DOCUMENTS: [{"LineId": doc_id, "U_Folio": folio} for doc_id, folio in folios.items()]}
    )


def _head_fields(planning: Planning) -> dict[str, Any]:
    states = [document.state for document in planning.documents]
    return {
        **HEAD.write(planning),
        **({} if planning.header.return_fields is None else RETURN_FIELDS.write(planning)),
        **({} if planning.execution is None else EXECUTION.write(planning.execution)),
        **CLOSING.write(planning),
        "U_TotLin": len(planning.lines),
        "U_TotDoc": len(states) - states.count(DocumentState.OMITTED),
        "U_TotOk": states.count(DocumentState.CREATED),
        "U_TotErr": states.count(DocumentState.FAILED),
    }


def _write_document(document: SupplierDocument, planning: Planning) -> dict[str, Any]:
    fields = DOCUMENT.write(document)
    if planning.has_warning_codes:
        fields[WARNING_CODES] = write_codes(document.warnings)
    return fields


def _write_progress_of(document: SupplierDocument, planning: Planning) -> dict[str, Any]:
    fields = _write_document(document, planning)
    return {name: value for name, value in fields.items() if name != "U_Folio" or value is not None}

"""From a planning to a record of `LIB_ODEV`."""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Any, Final, TypeVar

import msgspec

from supplier_returns.planning.records.field_names import (
    ALLOCATIONS,
    BINS,
    DOCUMENT_STATES,
    DOCUMENTS,
    LINE_STATES,
    LINES,
    MANAGEMENTS,
    PLANNING_STATES,
)
from supplier_returns.planning.rules.model import (
    Allocation,
    DocumentState,
    Execution,
    Planning,
    PlanningLine,
    SupplierDocument,
)

MAX_ROWS_TEXT: Final = 254
"""Characters that the ERP's field for row numbers holds."""

MAX_REQUEST_ID: Final = 36
"""Characters that the ERP's field for an execution's id holds."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")
_E = TypeVar("_E", bound=Enum | bool)


def write_header(planning: Planning) -> bytes:
    """Write what a change of the header alone changes."""
    return _ENCODER.encode(_header_fields(planning))


def write_planning(planning: Planning) -> bytes:
    """Write the whole planning, with every field of every row: what is None clears what was there."""
    allocations: list[dict[str, Any]] = []
    for line in planning.lines:
        for part in line.allocations:
            allocations.append({"LineId": len(allocations) + 1, **_allocation_fields(line, part)})
    return _ENCODER.encode(
        {
            **_header_fields(planning),
            LINES: [_line_fields(line) for line in planning.lines],
            ALLOCATIONS: allocations,
            DOCUMENTS: [_document_fields(document) for document in planning.documents],
        }
    )


def write_progress(planning: Planning, *, doc_ids: Collection[int] = (), with_lines: bool = False) -> bytes:
    """Write what an execution changes: the header, some documents, and the lines' states. For a merge.

    Args:
        planning: As it is to be.
        doc_ids: The documents to write. A folio that is not known is left as it is: somebody who has the tax
            documents joined may have put it there meanwhile.
        with_lines: Whether to write the lines' states too.
    """
    body: dict[str, Any] = _header_fields(planning)
    if with_lines:
        body[LINES] = [
            {"LineId": line.line_id, "U_Estado": _word(LINE_STATES, line.state)} for line in planning.lines
        ]
    if doc_ids:
        body[DOCUMENTS] = [
            _known_folio(_document_fields(document))
            for document in planning.documents
            if document.doc_id in doc_ids
        ]
    return _ENCODER.encode(body)


def write_folios(folios: Mapping[int, int]) -> bytes:
    """Write folios by document number, for a merge: whatever else others write meanwhile stays."""
    return _ENCODER.encode(
        {DOCUMENTS: [{"LineId": doc_id, "U_Folio": folio} for doc_id, folio in folios.items()]}
    )


def _header_fields(planning: Planning) -> dict[str, Any]:
    header = planning.header
    states = [document.state for document in planning.documents]
    return {
        "U_WhsCode": header.whs_code,
        "U_Estado": _word(PLANNING_STATES, planning.state),
        "U_Version": planning.version,
        "U_Fecha": header.posting_date.isoformat(),
        "U_FechaDoc": header.document_date.isoformat(),
        "U_Serie": header.series,
        "U_IndTras": header.transfer_kind,
        "U_TipoDesp": header.dispatch_kind,
        "U_Motivo": header.reason,
        "U_Coment": header.comment,
        "U_MaxLin": header.max_lines,
        "U_DecCant": header.decimals,
        "U_Ubicac": None if header.has_bins is None else _word(BINS, header.has_bins),
        "U_UsrCrea": planning.created_by,
        "U_Huella": planning.digest or None,
        **_execution_fields(planning.execution),
        "U_UsrCierra": planning.closed_by or None,
        "U_MotCierre": planning.close_reason,
        "U_TotLin": len(planning.lines),
        "U_TotDoc": len(states) - states.count(DocumentState.OMITTED),
        "U_TotOk": states.count(DocumentState.CREATED),
        "U_TotErr": states.count(DocumentState.FAILED),
    }


def _execution_fields(execution: Execution | None) -> dict[str, Any]:
    if execution is None:
        return {}
    return {
        "U_UsrEjec": execution.user,
        "U_EjecId": execution.request_id[:MAX_REQUEST_ID] or None,
        "U_EjecIni": execution.began,
        "U_EjecFin": execution.ended or None,
    }


def _line_fields(line: PlanningLine) -> dict[str, Any]:
    return {
        "LineId": line.line_id,
        "U_ItemCode": line.item_code,
        "U_ItemName": line.name[:200] or None,
        "U_UniMed": line.unit[:20] or None,
        "U_CantSol": line.quantity,
        "U_CantAsg": line.allocated,
        "U_SinStock": line.no_stock,
        "U_SinEnt": line.no_receipt,
        "U_NoDiv": line.indivisible,
        "U_StockIni": line.stock,
        "U_Gestion": _word(MANAGEMENTS, line.management),
        "U_Motivo": line.reason,
        "U_Excluida": "Y" if line.excluded else "N",
        "U_CardLim": line.card_code,
        "U_Estado": _word(LINE_STATES, line.state),
        "U_Mensaje": line.message,
        "U_Filas": _rows_text(line.rows),
    }


def _rows_text(rows: Sequence[int]) -> str | None:
    text = ",".join(map(str, rows))
    if len(text) > MAX_ROWS_TEXT:
        text = text[: MAX_ROWS_TEXT - 1].rpartition(",")[0] + ",…"
    return text or None


def _allocation_fields(line: PlanningLine, part: Allocation) -> dict[str, Any]:
    receipt = part.receipt
    return {
        "U_LinRef": line.line_id,
        "U_DocRef": part.doc_id,
        "U_Orden": part.position,
        "U_BaseEntry": receipt.doc_entry,
        "U_BaseLine": receipt.line_num,
        "U_BaseNum": receipt.doc_num,
        "U_BaseFec": receipt.doc_date.isoformat(),
        "U_BaseRef": receipt.supplier_reference[:100] or None,
        "U_CardCode": receipt.card_code,
        "U_Moneda": receipt.currency or None,
        "U_BPLId": receipt.branch,
        "U_Precio": receipt.price,
        "U_TaxCode": receipt.tax_code or None,
        "U_CantInv": part.inventory,
        "U_CantDoc": part.document,
        "U_Factor": receipt.factor,
        "U_AbiertoIni": receipt.open_inventory,
        "U_Lote": part.batch,
        "U_NumSerie": part.serial,
    }


def _document_fields(document: SupplierDocument) -> dict[str, Any]:
    return {
        "LineId": document.doc_id,
        "U_CardCode": document.card_code,
        "U_CardName": document.name[:100] or None,
        "U_Rut": document.tax_id[:32] or None,
        "U_Moneda": document.currency or None,
        "U_BPLId": document.branch,
        "U_Parte": document.part,
        "U_Clave": document.key or None,
        "U_Huella": document.payload_hash or None,
        "U_Estado": _word(DOCUMENT_STATES, document.state),
        "U_Intentos": document.attempts,
        "U_UltInt": document.last_attempt or None,
        "U_DevEntry": document.doc_entry,
        "U_DevNum": document.doc_num,
        "U_Folio": document.folio,
        "U_Clase": document.error_class,
        "U_CodErr": document.error_code,
        "U_Mensaje": document.message,
        "U_NLin": document.line_count,
        "U_Total": document.total,
    }


def _known_folio(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "U_Folio" or value is not None}


def _word(words: Mapping[str, _E], value: _E) -> str:
    return next(word for word, member in words.items() if member is value)

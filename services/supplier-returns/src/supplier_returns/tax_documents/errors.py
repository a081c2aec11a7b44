"""Reasons why there is no PDF of a planning's tax documents, with Spanish texts for users."""

# ruff: noqa: N818 - the name of an error states the reason for the refusal

from collections.abc import Mapping
from typing import Any, Final

from servicekit.errors import ServiceError

TOO_LARGE: Final = "too_large_together"
"""Code of a document that exceeds the size of one file together with the others."""

_MESSAGES: Final[Mapping[str, str]] = {
    "address_refused": "La dirección del servicio de documentos tributarios no está permitida.",
    "unreachable": "No se pudo conectar con el servicio de documentos tributarios.",
    "timeout": "El servicio de documentos tributarios no respondió a tiempo.",
    "failed": "El servicio de documentos tributarios falló.",
    "fault": "El servicio de documentos tributarios informó un error.",
    "refused": "El servicio de documentos tributarios rechazó la consulta.",
    "credentials_refused": "El servicio no acepta el usuario o la clave configurados en @DTE_CONFC.",
    "document_unknown": "El servicio no tiene este documento.",
    "document_not_ready": "El servicio tiene el documento, pero aún no su PDF.",
    "answer_unreadable": "La respuesta del servicio no se puede interpretar.",
    "document_broken": "El servicio no entregó un PDF completo.",
    "document_mistaken": "El servicio entregó otro documento.",
    "reading_failed": "No se pudo leer la respuesta del servicio.",
    TOO_LARGE: "Los documentos pedidos son demasiado grandes para un solo archivo; pídalos en partes.",
    "no_assignable_copy": "Este documento no tiene copia cedible.",
}


class NoDocumentMade(ServiceError):
    """None of the requested documents exists in the ERP."""

    status = 404
    code = "no_document_made"
    detail = "No hay devoluciones creadas de las que descargar documentos."


class FolioMissing(ServiceError):
    """Some documents have no folio yet. `documentos` names them."""

    status = 409
    code = "folio_missing"
    detail = "Hay documentos que aún no tienen folio; inténtelo más tarde o pida una descarga parcial."


def failed_document(doc_id: int, folio: int, code: str) -> Mapping[str, Any]:
    """Describe a tax document that could not be fetched.

    Args:
        doc_id: number in the planning.
        folio: number of the tax document.
        code: stable code of the failure.
    """
    message = _MESSAGES.get(code, "No se pudo obtener el documento tributario.")
    return {"docId": doc_id, "folio": folio, "code": code, "message": message}


class TaxDocumentFailed(ServiceError):
    """Some tax documents could not be fetched or are not complete PDFs. `documentos` names each with its own
    code.
    """

    status = 502
    code = "tax_document_failed"
    detail = "No se pudieron obtener todos los documentos tributarios; no se entrega un archivo incompleto."

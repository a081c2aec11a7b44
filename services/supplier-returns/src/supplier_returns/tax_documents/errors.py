"""Why there is no PDF of a planning's tax documents."""

# ruff: noqa: N818 - a refusal is named by what it says

from collections.abc import Sequence

from attrs import frozen

from servicekit.errors import ServiceError


class NoDocumentMade(ServiceError):
    """None of the documents asked for exists in the ERP."""

    status = 404
    code = "no_document_made"
    detail = "No hay devoluciones creadas de las que descargar documentos."


class FolioMissing(ServiceError):
    """Documents have no folio yet; `documentos` names them.

    Args:
        doc_ids: Those documents.
    """

    status = 409
    code = "folio_missing"
    detail = "Hay documentos que aún no tienen folio; inténtelo más tarde o pida una descarga parcial."

    def __init__(self, doc_ids: Sequence[int] = ()) -> None:
        super().__init__(members={"documentos": list(doc_ids) or None})


@frozen
class FailedDocument:
    """A tax document that could not be had.

    Attributes:
        doc_id: Its number in the planning.
        code: What went wrong, a stable word.
        message: The same for a person.
    """

    doc_id: int
    folio: int
    code: str
    message: str


class TaxDocumentFailed(ServiceError):
    """Tax documents could not be fetched, or are no PDFs; `documentos` names each.

    Args:
        failed: Those documents.
    """

    status = 502
    code = "tax_document_failed"
    detail = "No se pudieron obtener todos los documentos tributarios; no se entrega un archivo incompleto."

    def __init__(self, failed: Sequence[FailedDocument] = ()) -> None:
        documents = [
            {"docId": each.doc_id, "folio": each.folio, "code": each.code, "message": each.message}
            for each in failed
        ]
        super().__init__(members={"documentos": documents or None})

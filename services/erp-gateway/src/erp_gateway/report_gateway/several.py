"""Several documents as one PDF: printed one after the other, joined in a process, all of them or none."""

from collections.abc import Sequence
from typing import Final

from erp_gateway.audit_event import Actor
from erp_gateway.exports.budget import SpoolBudget
from erp_gateway.jobs.jobs import Told
from erp_gateway.report_gateway.errors import DocumentFailed, ReportNotFound, ReportObsolete
from erp_gateway.report_gateway.service import Pdf, ReportService
from erpclient import Caller
from servicekit.errors import FieldProblem, ServiceError
from servicekit.pdfs.joining import Joining, JoiningFailedError, PartBrokenError

MOST_DOCUMENTS: Final = 50

_TRY_AGAIN: Final = 503


class DocumentPrinting:
    """Prints documents in one of their screen's formats.

    Args:
        service: prints one.
        joining: puts them together.
        budget: bounds what they hold until then, together with all exports.
    """

    def __init__(self, service: ReportService, joining: Joining, budget: SpoolBudget) -> None:
        self._service = service
        self._joining = joining
        self._budget = budget

    async def print(
        self,
        screen: str,
        code: str,
        doc_entries: Sequence[int],
        caller: Caller,
        actor: Actor,
        *,
        told: Told | None = None,
    ) -> Pdf:
        """Make one PDF of documents, in the order in which they are asked for. Each is recorded.

        Args:
            screen: where they are printed from.
            code: the format.
            doc_entries: which; at least one.
            caller: for whom.
            actor: who asks, for the record.
            told: is told how many are there.

        Raises:
            ReportNotFound: as `ReportService.export_document`.
            DocumentFailed: one of them can't be had, is no whole PDF, or they can't be joined; it is named.
            ExportNoRoom: together they are too large.
            ServiceError: 503, for the time being nothing can be printed.
        """
        parts: list[bytes] = []
        share = self._budget.of(actor.web_user or "").share()
        try:
            title = ""
            for index, doc_entry in enumerate(doc_entries):
                try:
                    pdf = await self._service.export_document(screen, code, doc_entry, caller, actor)
                except ServiceError as error:
                    if _is_of_all(error):
                        raise
                    raise _failed(index, doc_entry, error.detail) from error
                title = pdf.title
                parts.append(pdf.content)
                share.resize(sum(map(len, parts)))
                if told is not None:
                    told(len(parts))
            return Pdf(f"{title} ({len(parts)})", await self._joined(parts, doc_entries))
        finally:
            share.release()

    async def _joined(self, parts: list[bytes], doc_entries: Sequence[int]) -> bytes:
        try:
            return await self._joining.join(parts)
        except PartBrokenError as error:
            raise _failed(error.index, doc_entries[error.index], "No llegó como un PDF completo.") from error
        except JoiningFailedError as error:
            raise DocumentFailed("Los documentos se imprimieron, pero no se pudieron unir.") from error


def _is_of_all(error: ServiceError) -> bool:
    """Tell whether a refusal holds for every document, or for the moment, and not for one of them."""
    return isinstance(error, ReportNotFound | ReportObsolete) or error.status == _TRY_AGAIN


def _failed(index: int, doc_entry: int, reason: str) -> DocumentFailed:
    return DocumentFailed(
        f"No se pudo imprimir el documento {doc_entry}; no se entrega ninguno. {reason}",
        errors=[FieldProblem(f"docEntries[{index}]", reason)],
    )

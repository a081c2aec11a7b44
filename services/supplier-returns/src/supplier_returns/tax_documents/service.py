"""Use case of tax documents: fetch those of a planning and join them, all or none."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from attrs import define, field, frozen

from erpclient import Caller, ErpClient
from erpclient.tax_documents import TaxDocumentError, TaxDocumentKey, TaxDocuments
from servicekit.erp.errors import ClientGone
from servicekit.errors import NotConfigured, ServiceError
from servicekit.pdfs.processes import Joining, PartBrokenError, PdfProcessError
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import PlanningState
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.tax_documents.errors import (
    TOO_LARGE,
    FolioMissing,
    TaxDocumentFailed,
    failed_document,
)
from supplier_returns.tax_documents.folios import read_folios
from supplier_returns.tax_documents.provider import Provider, read_provider
from supplier_returns.tax_documents.selection import Ready, new_folios, select_documents, with_folios

DISPATCH_GUIDE: Final = 52
"""Document type of the tax office for a dispatch guide, which accompanies returned goods."""

MAX_DOWNLOAD_BYTES: Final = 256 * 1024 * 1024
"""Memory for the documents of one download before they are joined. Sixty guides of two pages take 12 MiB."""

_log = structlog.get_logger(__name__)


@frozen
class DownloadRequest:
    """Requested documents.

    Attributes:
        documents: document numbers in the order of the pages. None means all.
        assignable: whether to fetch the copies that assign the credit instead.
        partial: whether to omit documents without a folio.
    """

    documents: Sequence[int] | None = None
    assignable: bool = False
    partial: bool = False


@frozen
class JoinedDocuments:
    """Joined PDF.

    Attributes:
        omitted: numbers of the documents without a folio.
    """

    pdf: bytes
    omitted: Sequence[int]


@frozen
class DownloadSources:
    """Access of a download to the ERP, in the signed-in user's session."""

    user: str
    erp: ErpClient
    caller: Caller
    repository: PlanningRepository


@define(eq=False, repr=False)
class TaxDocumentService:
    """Fetches and joins tax documents. The process has one instance.

    Args:
        tax_documents: fetches one document.
        joining: joins PDF files.
        at_once: maximum documents that all downloads together fetch at one time.
        is_running: returns whether an execution of a planning runs.
        max_bytes: maximum total size of one download's documents. The first one is always accepted.
    """

    _tax_documents: TaxDocuments
    _joining: Joining
    _at_once: int = field(kw_only=True)
    _is_running: Callable[[int], bool] = field(kw_only=True)
    _max_bytes: int = field(default=MAX_DOWNLOAD_BYTES, kw_only=True)
    _slots: asyncio.Semaphore = field(init=False)

    @_slots.default
    def _create_slots(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(self._at_once)

    async def download(
        self,
        sources: DownloadSources,
        planning_id: int,
        requested: DownloadRequest,
        *,
        is_disconnected: Callable[[], bool] = lambda: False,
    ) -> JoinedDocuments:
        """Return one PDF with the documents of a planning.

        Args:
            sources: the user's access to the ERP.
            planning_id: ID of the planning.
            requested: requested documents.
            is_disconnected: returns whether the client has disconnected. Then nothing more is fetched.

        Raises:
            ClientGone: the client has disconnected.
            PlanningNotFound: there is no planning with this ID.
            DocumentNotFound: the planning does not have all of the documents.
            NoDocumentMade: the documents do not exist in the ERP.
            FolioMissing: some documents have no folio yet.
            NotConfigured: the ERP has no configuration of the provider.
            TaxDocumentFailed: the provider did not return every document as a complete PDF.
        """
        planning = await sources.repository.get(planning_id)
        documents = select_documents(planning, requested.documents)
        folios = await read_folios(
            [document.doc_entry for document in documents if document.doc_entry], sources.erp, sources.caller
        )
        await self._record_folios(planning, folios, sources)
        ready, without_folio = with_folios(documents, folios)
        if without_folio and (not requested.partial or not ready):
            raise FolioMissing(members={"documentos": list(without_folio)})
        provider = await read_provider(sources.erp, sources.caller)
        parts = await self._fetch_all(
            ready, provider, assignable=requested.assignable, is_disconnected=is_disconnected
        )
        count = len(parts)
        pdf = await self._join(ready, parts)
        _log.info(
            "tax_documents_joined", user=sources.user, planning=planning_id, documents=count, bytes=len(pdf)
        )
        return JoinedDocuments(pdf, without_folio)

    async def _record_folios(
        self, planning: Planning, folios: dict[int, int], sources: DownloadSources
    ) -> None:
        """Record new folios. The download continues if that fails."""
        new = new_folios(planning, folios)
        # A running execution writes the same rows, and the ERP refuses changes of a closed record.
        is_written_now = planning.state is PlanningState.RUNNING or self._is_running(planning.id)
        if not new or planning.state is PlanningState.CLOSED or is_written_now:
            return
        try:
            await sources.repository.save_folios(planning.id, new)
        except ServiceError as error:
            _log.warning("folios_not_recorded", planning=planning.id, reason=str(error))

    async def _fetch_all(
        self, ready: Ready, provider: Provider, *, assignable: bool, is_disconnected: Callable[[], bool]
    ) -> list[bytes]:
        # The slots of all downloads go to the first in line. A download queues only a few documents at a
        # time, so that a small download does not wait for all documents of a large one.
        own_slots = asyncio.Semaphore(self._at_once)
        total_bytes = 0

        async def fetch(folio: int) -> bytes | str:
            nonlocal total_bytes
            async with own_slots, self._slots:
                if is_disconnected():
                    raise ClientGone
                if total_bytes > self._max_bytes:
                    return TOO_LARGE
                part = await self._fetch(provider, folio, assignable=assignable)
            size = 0 if isinstance(part, str) else len(part)
            # A single document above the limit is still delivered.
            is_first, total_bytes = total_bytes == 0, total_bytes + size
            return part if is_first or total_bytes <= self._max_bytes else TOO_LARGE

        results = await asyncio.gather(*(fetch(folio) for _, folio in ready))
        failures = [
            failed_document(document.doc_id, folio, result)
            for (document, folio), result in zip(ready, results, strict=True)
            if isinstance(result, str)
        ]
        if failures:
            raise TaxDocumentFailed(members={"documentos": failures})
        return [result for result in results if isinstance(result, bytes)]

    async def _fetch(self, provider: Provider, folio: int, *, assignable: bool) -> bytes | str:
        """Return one PDF, or the code of the failure."""
        try:
            key = TaxDocumentKey(provider.issuer, DISPATCH_GUIDE, folio)
        except ValueError as error:
            raise NotConfigured from error
        try:
            document = await self._tax_documents.fetch(provider.access, key)
        except TaxDocumentError as error:
            return error.code
        part = document.assignable_pdf if assignable else document.pdf
        # A return usually has no assignable copy, because nothing is sold (`IndTraslado` 7).
        return "no_assignable_copy" if part is None else part

    async def _join(self, ready: Ready, parts: list[bytes]) -> bytes:
        try:
            return await self._joining.join(parts)
        except PartBrokenError as error:
            document, folio = ready[error.index]
            failed = failed_document(document.doc_id, folio, "document_broken")
            raise TaxDocumentFailed(members={"documentos": [failed]}) from error
        except PdfProcessError as error:
            raise TaxDocumentFailed from error

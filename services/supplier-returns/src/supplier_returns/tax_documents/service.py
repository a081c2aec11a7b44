"""The use case: fetch the tax documents of a planning and join them, all or none."""

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
from supplier_returns.tax_documents.policy import Ready, choose, numbered, with_folios
from supplier_returns.tax_documents.provider import Provider, read_provider

DISPATCH_GUIDE: Final = 52
"""The tax office's number of the document that goes with returned goods."""

MAX_DOWNLOAD_BYTES: Final = 256 * 1024 * 1024
"""What is held for one download until it is joined; sixty guides of two pages take some 12 MiB."""

_log = structlog.get_logger(__name__)


@frozen
class Wanted:
    """What a person asks for.

    Attributes:
        documents: Numbers of documents in the order of the pages, None for all.
        assignable: The copies that assign the credit instead of the documents.
        partial: Leave out what has no folio yet.
    """

    documents: Sequence[int] | None = None
    assignable: bool = False
    partial: bool = False


@frozen
class JoinedDocuments:
    """A PDF and what is not in it.

    Attributes:
        omitted: Documents without a folio.
    """

    pdf: bytes
    omitted: Sequence[int]


@frozen
class DownloadSources:
    """What a download reads, bound to the signed-in user's ERP session."""

    user: str
    erp: ErpClient
    caller: Caller
    repository: PlanningRepository


@define(eq=False, repr=False)
class TaxDocumentService:
    """Fetches and joins. One for the whole process.

    Args:
        tax_documents: Fetches one document.
        joining: Joins PDFs.
        at_once: Documents fetched at the same time, of all downloads together.
        is_running: Tells whether an execution of a planning runs.
        max_bytes: What the documents of one download may hold together; its first is always taken.
    """

    _tax_documents: TaxDocuments
    _joining: Joining
    _at_once: int = field(kw_only=True)
    _is_running: Callable[[int], bool] = field(kw_only=True)
    _max_bytes: int = field(default=MAX_DOWNLOAD_BYTES, kw_only=True)
    _places: asyncio.Semaphore = field(init=False)

    @_places.default
    def _open_places(self) -> asyncio.Semaphore:
        return asyncio.Semaphore(self._at_once)

    async def download(
        self,
        at: DownloadSources,
        planning_id: int,
        wanted: Wanted,
        *,
        has_left: Callable[[], bool] = lambda: False,
    ) -> JoinedDocuments:
        """Return one PDF with the documents of a planning.

        Args:
            at: The user's access to the ERP.
            planning_id: Which.
            wanted: What of it.
            has_left: Tells whether whoever asked has gone: nothing more is fetched then.

        Raises:
            ClientGone: They have.
            PlanningNotFound: There is none of this id.
            DocumentNotFound: It has not all of the documents.
            NoDocumentMade: They do not exist in the ERP.
            FolioMissing: Some have no folio yet.
            NotConfigured: The ERP does not say where tax documents come from.
            TaxDocumentFailed: The provider did not give every one as a whole PDF.
        """
        planning = await at.repository.get(planning_id)
        chosen = choose(planning, wanted.documents)
        folios = await read_folios(
            [document.doc_entry for document in chosen if document.doc_entry], at.erp, at.caller
        )
        await self._keep(planning, folios, at)
        ready, without_folio = with_folios(chosen, folios)
        if without_folio and (not wanted.partial or not ready):
            raise FolioMissing(members={"documentos": list(without_folio)})
        provider = await read_provider(at.erp, at.caller)
        parts = await self._fetch_all(ready, provider, assignable=wanted.assignable, has_left=has_left)
        count = len(parts)
        pdf = await self._join(ready, parts)
        _log.info("tax_documents_joined", user=at.user, planning=planning_id, documents=count, bytes=len(pdf))
        return JoinedDocuments(pdf, without_folio)

    async def _keep(self, planning: Planning, folios: dict[int, int], at: DownloadSources) -> None:
        """Put folios on record that it does not have; a download does not depend on it."""
        new = numbered(planning, folios)
        is_written_now = planning.state is PlanningState.RUNNING or self._is_running(planning.id)
        if not new or planning.state is PlanningState.CLOSED or is_written_now:
            return
        try:
            await at.repository.save_folios(planning.id, new)
        except ServiceError as error:
            _log.warning("folios_not_recorded", planning=planning.id, reason=str(error))

    async def _fetch_all(
        self, ready: Ready, provider: Provider, *, assignable: bool, has_left: Callable[[], bool]
    ) -> list[bytes]:
        # Places go to who came first. A download stands in line with a few documents and never with all, so
        # that another's only one comes after those.
        in_line = asyncio.Semaphore(self._at_once)
        total_bytes = 0

        async def fetch(folio: int) -> bytes | str:
            nonlocal total_bytes
            async with in_line, self._places:
                if has_left():
                    raise ClientGone
                if total_bytes > self._max_bytes:
                    return TOO_LARGE
                part = await self._fetch(provider, folio, assignable=assignable)
            size = 0 if isinstance(part, str) else len(part)
            is_first, total_bytes = total_bytes == 0, total_bytes + size
            return part if is_first or total_bytes <= self._max_bytes else TOO_LARGE

        results = await asyncio.gather(*(fetch(folio) for _, folio in ready))
        failed = [
            failed_document(document.doc_id, folio, result)
            for (document, folio), result in zip(ready, results, strict=True)
            if isinstance(result, str)
        ]
        if failed:
            raise TaxDocumentFailed(members={"documentos": failed})
        return [result for result in results if isinstance(result, bytes)]

    async def _fetch(self, provider: Provider, folio: int, *, assignable: bool) -> bytes | str:
        """Return one PDF, or the code of what went wrong."""
        try:
            key = TaxDocumentKey(provider.issuer, DISPATCH_GUIDE, folio)
        except ValueError as error:
            raise NotConfigured from error
        try:
            document = await self._tax_documents.fetch(provider.access, key)
        except TaxDocumentError as error:
            return error.code
        part = document.assignable_pdf if assignable else document.pdf
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

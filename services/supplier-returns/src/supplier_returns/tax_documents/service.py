"""The use case: fetch the tax documents of a planning and join them, all or none."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
import structlog
from attrs import define, field, frozen

from erpclient import Caller, ErpClient, ErpReplyUnreadable
from erpclient.odata import ListQuery
from erpclient.tax_documents import TaxDocumentError, TaxDocumentKey, TaxDocuments
from servicekit.erp.errors import ClientGone
from servicekit.errors import NotConfigured, ServiceError
from servicekit.pdfs.processes import Joining, PartBrokenError, PdfProcessError
from supplier_returns.execution.errors import DocumentNotFound
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.planning.rules.model import Planning, SupplierDocument
from supplier_returns.planning.rules.states import DocumentState, PlanningState
from supplier_returns.tax_documents.configuration import Provider, read_provider
from supplier_returns.tax_documents.errors import (
    TOO_LARGE,
    FolioMissing,
    NoDocumentMade,
    TaxDocumentFailed,
    failed_document,
)
from supplier_returns.web.error_map import needing_right

DISPATCH_GUIDE: Final = 52
"""The tax office's number of the document that goes with returned goods."""

MAX_DOWNLOAD_BYTES: Final = 256 * 1024 * 1024
"""What is held for one download until it is joined; sixty guides of two pages take some 12 MiB."""

RETURNS: Final = "PurchaseReturns"
AT_ONCE: Final = 40
"""Documents asked for in one call: their conditions fit the length that web servers take."""


class _ReturnRow(msgspec.Struct):
    DocEntry: int
    FolioNumber: int | None = None


_RETURN_ROWS: Final = msgspec.json.Decoder(list[_ReturnRow])

_log = structlog.get_logger(__name__)


Ready = Sequence[tuple[SupplierDocument, int]]
"""Documents with their folios, in order."""


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
        held = 0

        async def fetch(folio: int) -> bytes | str:
            nonlocal held
            async with in_line, self._places:
                if has_left():
                    raise ClientGone
                if held > self._max_bytes:
                    return TOO_LARGE
                part = await self._fetch(provider, folio, assignable=assignable)
            size = 0 if isinstance(part, str) else len(part)
            is_first, held = held == 0, held + size
            return part if is_first or held <= self._max_bytes else TOO_LARGE

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


def choose(planning: Planning, asked: Sequence[int] | None) -> list[SupplierDocument]:
    """Return the documents to fetch: those asked for in that order, each once, else all that were made.

    Args:
        planning: As recorded.
        asked: Numbers of documents, None for all.

    Raises:
        DocumentNotFound: The planning has not all of the documents that are asked for.
        NoDocumentMade: One that is asked for, or every one, does not exist in the ERP.
    """
    by_id = {document.doc_id: document for document in planning.documents}
    wanted = list(by_id) if asked is None else list(dict.fromkeys(asked))
    if any(doc_id not in by_id for doc_id in wanted):
        raise DocumentNotFound
    made = [by_id[doc_id] for doc_id in wanted if by_id[doc_id].state is DocumentState.CREATED]
    if not made or (asked is not None and len(made) < len(wanted)):
        raise NoDocumentMade
    return made


def with_folios(documents: Sequence[SupplierDocument], folios: Mapping[int, int]) -> tuple[Ready, list[int]]:
    """Pair documents with the folios that they have by now; return the numbers of those without beside it.

    Args:
        documents: Made ones.
        folios: By the return's `DocEntry`.
    """
    found = [(document, folios.get(document.doc_entry or 0)) for document in documents]
    ready = [(document, folio) for document, folio in found if folio]
    return ready, [document.doc_id for document, folio in found if not folio]


def numbered(planning: Planning, folios: Mapping[int, int]) -> dict[int, int]:
    """Return the folios that the record does not have yet, by document number."""
    ready, _ = with_folios(planning.documents, folios)
    return {document.doc_id: folio for document, folio in ready if folio != document.folio}


async def read_folios(doc_entries: Sequence[int], erp: ErpClient, caller: Caller) -> dict[int, int]:
    """Return the folio of each return that has one, by `DocEntry`; one call for every 40 documents.

    Raises:
        ErpError: The ERP could not be asked.
    """
    folios: dict[int, int] = {}
    for start in range(0, len(doc_entries), AT_ONCE):
        some = doc_entries[start : start + AT_ONCE]
        query = ListQuery(
            select=tuple(_ReturnRow.__struct_fields__),
            filter=" or ".join(f"DocEntry eq {entry}" for entry in some),
            top=AT_ONCE,
        )
        with needing_right(RETURNS, task="ver las devoluciones a proveedores"):
            found = await erp.list(RETURNS, query, caller=caller)
        try:
            rows = _RETURN_ROWS.decode(found.rows)
        except msgspec.DecodeError as error:
            raise ErpReplyUnreadable("a return without its key") from error
        folios |= {row.DocEntry: row.FolioNumber for row in rows if row.FolioNumber}
    return folios

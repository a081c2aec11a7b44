"""Tax documents read from the simulated service: two independent readings of one assumed contract."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from io import BytesIO
from typing import Any

import pikepdf
import pytest

from erpclient.tax_documents import (
    TaxDocumentError,
    TaxDocumentKey,
    TaxDocuments,
    TaxDocumentSettings,
    TaxServiceAccess,
)
from erpclient.tax_documents.errors import (
    TaxAnswerUnreadable,
    TaxCredentialsRefused,
    TaxDocumentBroken,
    TaxDocumentMistaken,
    TaxDocumentNotReady,
    TaxDocumentUnknown,
    TaxServiceFailed,
    TaxServiceFault,
    TaxServiceTimeout,
    TaxServiceUnreachable,
)
from erpsim.company.switches import Switches, TaxAnswer
from erpsim.faults import BadGateway, Drip, Drop, Fault, GzipBomb, Hang, Truncate, When
from erpsim.process.ports import Listening
from erpsim.simulator import run_sim
from erpsim.tax_documents import TaxDocumentService

pytestmark = pytest.mark.check

RUT, FIRST = "76543210-3", 1001
SETTINGS = TaxDocumentSettings(allow_own_addresses=True, timeout_s=50, reading_timeout_s=50)


@contextlib.asynccontextmanager
async def open_both(
    settings: TaxDocumentSettings = SETTINGS, **switches: Any
) -> AsyncIterator[tuple[TaxDocumentService, TaxDocuments]]:
    listening = Listening(tax_documents_port=0)
    async with run_sim(seed="returns", switches=Switches(**switches), listening=listening) as sim:
        assert sim.tax_documents is not None
        async with TaxDocuments(settings) as documents:
            yield sim.tax_documents, documents


def key(folio: int = FIRST) -> TaxDocumentKey:
    return TaxDocumentKey(RUT, 52, folio)


def access(service: TaxDocumentService, password: str = "dte-demo") -> TaxServiceAccess:
    return TaxServiceAccess(service.url, "dte", password)


@pytest.mark.asyncio
async def test_parallel_tax_documents_are_read_with_their_own_folio() -> None:
    async with open_both() as (service, documents):
        folios = range(FIRST, FIRST + 4)
        read = await asyncio.gather(*(documents.fetch(access(service), key(folio)) for folio in folios))
        assert [document.confirmed for document in read] == [True] * 4
        assert len({document.pdf for document in read}) == 4
        for document in read:
            with pikepdf.open(BytesIO(document.pdf)) as pdf:
                assert len(pdf.pages) == 1
        assert sorted(int(question.folio) for question in service.questions) == list(folios)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("kind", "error", "said"),
    [
        (TaxAnswer.NOT_READY, TaxDocumentNotReady, "aún no impreso"),
        (TaxAnswer.NO_SUCH_DOCUMENT, TaxDocumentUnknown, "no existe"),
        (TaxAnswer.NO_PDF, TaxDocumentBroken, "absent"),
        (TaxAnswer.EMPTY_PDF, TaxDocumentBroken, "absent"),
        (TaxAnswer.HTML_AS_PDF, TaxDocumentBroken, "not a PDF"),
        (TaxAnswer.CUT_PDF, TaxDocumentBroken, "cut off"),
        (TaxAnswer.BROKEN_BASE64, TaxDocumentBroken, "broken base64"),
        (TaxAnswer.OTHER_DOCUMENT, TaxDocumentMistaken, "another document"),
        (TaxAnswer.EMPTY_RESULT, TaxAnswerUnreadable, "without a status"),
        (TaxAnswer.FAULT, TaxServiceFault, "Object reference"),
        (TaxAnswer.HTML, TaxAnswerUnreadable, "not XML"),
        (TaxAnswer.HTML_502, TaxServiceFailed, "502"),
        (TaxAnswer.REDIRECT, TaxServiceFailed, "302"),
        (TaxAnswer.SOAP_12, TaxAnswerUnreadable, "no SOAP envelope"),
        (TaxAnswer.DTD, TaxAnswerUnreadable, "a document type"),
        (TaxAnswer.ENTITY_BOMB, TaxAnswerUnreadable, "not XML|a document type"),
    ],
)
async def test_each_wrong_answer_raises_its_own_error(
    kind: TaxAnswer, error: type[TaxDocumentError], said: str
) -> None:
    async with open_both() as (service, documents):
        service.wrong[FIRST] = kind
        with pytest.raises(TaxDocumentError, match=said) as failure:
            await documents.fetch(access(service), key())
        assert type(failure.value) is error
        assert len(service.questions) == 1
        # Earlier errors must not affect later calls.
        assert (await documents.fetch(access(service), key(FIRST + 1))).confirmed


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("kind", "confirmed"),
    [
        (TaxAnswer.BASE64_TWICE, True),
        (TaxAnswer.OTHER_ORDER, True),
        (TaxAnswer.EXTRA_ELEMENT, True),
        (TaxAnswer.NO_XML, False),
        (TaxAnswer.LARGE_PDF, True),
    ],
)
async def test_an_unusual_answer_with_a_complete_document_is_accepted(
    kind: TaxAnswer, confirmed: bool
) -> None:
    async with open_both(tax_answer=kind) as (service, documents):
        document = await documents.fetch(access(service), key())
        assert document.confirmed == confirmed
        assert (len(document.pdf) > 12_000_000) == (kind is TaxAnswer.LARGE_PDF)
        with pikepdf.open(BytesIO(document.pdf)) as pdf:
            assert len(pdf.pages) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("action", "error"),
    [
        (Drop(when=When.BEFORE_WORK), TaxServiceUnreachable),
        (Drop(when=When.AFTER_WORK), TaxServiceUnreachable),
        (Truncate(keep_bytes=500), TaxAnswerUnreadable),
        (BadGateway(), TaxServiceFailed),
        (GzipBomb(unpacked_bytes=200_000_000), TaxAnswerUnreadable),
    ],
)
async def test_a_failed_connection_is_an_error_without_a_retry(
    action: Any, error: type[TaxDocumentError]
) -> None:
    async with open_both() as (service, documents):
        service.faults.add(Fault(action=action))
        with pytest.raises(error):
            await documents.fetch(access(service), key())
        assert service.calls.total == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("action", [Drip(chunk_bytes=1, interval_s=0.05), Hang(after_bytes=100, seconds=60)])
async def test_an_endless_answer_is_abandoned(action: Any) -> None:
    settings = TaxDocumentSettings(allow_own_addresses=True, timeout_s=1.5, reading_timeout_s=50)
    async with open_both(settings) as (service, documents):
        service.faults.add(Fault(action=action))
        with pytest.raises(TaxServiceTimeout):
            await documents.fetch(access(service), key())


@pytest.mark.asyncio
async def test_the_service_reports_an_unknown_document() -> None:
    async with open_both() as (service, documents):
        with pytest.raises(TaxCredentialsRefused):
            await documents.fetch(access(service, "planted-password"), key())
        for wrong in (key(999_999), TaxDocumentKey(RUT, 33, FIRST), TaxDocumentKey("1-9", 52, FIRST)):
            with pytest.raises(TaxDocumentUnknown):
                await documents.fetch(access(service), wrong)

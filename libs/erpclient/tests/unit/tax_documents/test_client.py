"""Reading tax documents over real sockets: what is sent, and what each way of answering becomes."""

import asyncio
import gzip
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import structlog
from fake_transport import FakeTransport
from scripted_erp import DROP, HTML_502, RESET, Answer, Call
from tax_service import PDF, TaxService, dte, encoded, fault, found, result, xml_answer
from tls_files import server_context, write_certificate

from erpclient import HttpReply
from erpclient.tax_documents import (
    TaxDocumentError,
    TaxDocumentKey,
    TaxDocuments,
    TaxDocumentSettings,
    TaxServiceAccess,
    TaxServiceAddressRefused,
)
from erpclient.tax_documents.client import charset_of
from erpclient.tax_documents.errors import (
    TaxAnswerUnreadable,
    TaxDocumentBroken,
    TaxServiceFailed,
    TaxServiceFault,
    TaxServiceRefused,
    TaxServiceTimeout,
    TaxServiceUnreachable,
)
from erpclient.tax_documents.values import TaxDocument

pytestmark = pytest.mark.check

PASSWORD = "planted-password"
KEY = TaxDocumentKey("76123456-K", 52, 7)
SETTINGS = TaxDocumentSettings(
    allow_own_addresses=True, timeout_s=50, connect_timeout_s=10, reading_timeout_s=50
)


def access(url: str) -> TaxServiceAccess:
    return TaxServiceAccess(url, "ana", PASSWORD)


@pytest_asyncio.fixture
async def service() -> AsyncIterator[TaxService]:
    async with TaxService() as running:
        yield running


@pytest_asyncio.fixture
async def documents() -> AsyncIterator[TaxDocuments]:
    async with TaxDocuments(SETTINGS) as opened:
        yield opened


@pytest.mark.asyncio
async def test_a_document_is_requested_by_soap_and_returned(
    service: TaxService, documents: TaxDocuments
) -> None:
    service.script(xml_answer(found(xml=dte()), packed=True))
    document = await documents.fetch(access(service.url), KEY)
    assert document == TaxDocument(PDF, None, confirmed=True)
    (call,) = service.calls
    assert (call.method, call.target) == ("POST", "/wsfactlocal/dtelocal.asmx")
    assert call.headers["soapaction"] == '"http://tempuri.org/Consulta_TXTDTE"'
    assert call.headers["content-type"] == "text/xml; charset=utf-8"
    assert f"<ns0:Clave>{PASSWORD}</ns0:Clave>".encode() in call.body
    assert b"<ns0:NroDocto>7</ns0:NroDocto>" in call.body


@pytest.mark.asyncio
async def test_parallel_requests_return_their_own_documents(
    service: TaxService, documents: TaxDocuments
) -> None:
    async def by_folio(call: Call) -> Answer:
        folio = call.body.partition(b"<ns0:NroDocto>")[2].partition(b"<")[0].decode()
        return xml_answer(found(encoded(PDF + folio.encode()), xml=dte(folio=folio)))

    service.handler = by_folio
    keys = [TaxDocumentKey("76123456-K", 52, folio) for folio in range(1, 8)]
    fetched = await asyncio.gather(*(documents.fetch(access(service.url), key) for key in keys))
    assert [document.pdf for document in fetched] == [PDF + str(key.folio).encode() for key in keys]


BOMB = gzip.compress(found() + b"<!--" + b" " * 3_000_000 + b"-->")


GZIP = [("Content-Encoding", "gzip")]
CUT = Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<", close=True)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "error", "code", "said"),
    [
        (xml_answer(fault("soap:Server", "no"), 500), TaxServiceFault, "fault", "(soap:Server): no"),
        (HTML_502, TaxServiceFailed, "failed", "502"),
        (
            Answer(302, headers=[("Location", "https://elsewhere.example/")]),
            TaxServiceFailed,
            "failed",
            "302",
        ),
        (Answer(404, b"<html/>", content_type="text/html"), TaxServiceFailed, "failed", "404"),
        (Answer(204), TaxServiceFailed, "failed", "204"),
        (Answer(200, b"<html><h1>Hi"), TaxAnswerUnreadable, "answer_unreadable", "not XML"),
        (xml_answer(b""), TaxAnswerUnreadable, "answer_unreadable", "not XML"),
        (xml_answer(found(encoded(PDF[:-9]))), TaxDocumentBroken, "document_broken", "cut off"),
        (Answer(200, BOMB, GZIP), TaxAnswerUnreadable, "answer_unreadable", "too large"),
        (Answer(200, BOMB[:99], GZIP), TaxAnswerUnreadable, "answer_unreadable", "not XML"),
        (xml_answer(found() + b" " * 2_000_000), TaxAnswerUnreadable, "answer_unreadable", "too large"),
        (CUT, TaxAnswerUnreadable, "answer_unreadable", "truncated"),
        (Answer(raw=b"junk\r\n\r\n", close=True), TaxAnswerUnreadable, "answer_unreadable", "not HTTP"),
        (DROP, TaxServiceUnreachable, "unreachable", "ECONNRESET"),
        (RESET, TaxServiceUnreachable, "unreachable", "ECONNRESET"),
    ],
    ids=[
        "fault",
        "502 page",
        "redirect",
        "404 page",
        "no content",
        "200 page",
        "empty",
        "pdf cut off",
        "bomb",
        "gzip cut off",
        "too large",
        "truncated",
        "no http",
        "dropped",
        "reset",
    ],
)
async def test_every_wrong_answer_raises_its_own_error_without_a_retry(
    service: TaxService, answer: Answer, error: type[TaxDocumentError], code: str, said: str
) -> None:
    service.script(answer)
    settings = TaxDocumentSettings(
        allow_own_addresses=True, timeout_s=50, reading_timeout_s=50, max_reply_bytes=1_000_000
    )
    with structlog.testing.capture_logs() as logs:
        async with TaxDocuments(settings) as documents:
            with pytest.raises(error) as failure:
                await documents.fetch(access(service.url), KEY)
    assert (type(failure.value), failure.value.code) == (error, code)
    assert said in str(failure.value)
    assert len(service.calls) == 1
    assert [entry for entry in logs if entry["event"] == "tax_document_failed"] == [
        {
            "event": "tax_document_failed",
            "log_level": "warning",
            "document_type": 52,
            "folio": 7,
            "code": code,
        }
    ]
    assert PASSWORD not in f"{failure.value!r} {failure.value} {logs}"


@pytest.mark.asyncio
@pytest.mark.parametrize("raw", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n<"])
async def test_a_trickling_or_missing_answer_times_out(service: TaxService, raw: bytes) -> None:
    service.script(Answer(raw=raw))
    async with TaxDocuments(
        TaxDocumentSettings(allow_own_addresses=True, timeout_s=0.5, reading_timeout_s=50)
    ) as documents:
        with pytest.raises(TaxServiceTimeout, match="whole answer"):
            await documents.fetch(access(service.url), KEY)


@pytest.mark.asyncio
async def test_without_a_connection_the_service_is_unreachable(
    service: TaxService, documents: TaxDocuments
) -> None:
    url = service.url
    await service.stop()
    with pytest.raises(TaxServiceUnreachable) as failure:
        await documents.fetch(access(url), KEY)
    assert failure.value.network_code == "ECONNREFUSED"


@pytest.mark.asyncio
async def test_a_refused_address_starts_no_process(service: TaxService) -> None:
    settings = TaxDocumentSettings(allow_own_addresses=True, allowed_hosts=frozenset({"dte.example.cl"}))
    async with TaxDocuments(settings) as documents:
        with pytest.raises(TaxServiceAddressRefused):
            await documents.fetch(access(service.url), KEY)
        assert documents._reading.pids == []
    assert service.connections == 0


@pytest.mark.asyncio
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "017700000001",
        "0.0.0.0",
        "0",
        "localhost",
        "LOCALHOST",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        socket.gethostname(),
    ],
)
async def test_an_address_of_this_host_is_refused_in_every_notation_without_a_connection(
    service: TaxService, scheme: str, host: str
) -> None:
    url = f"{scheme}://{host}:{service.port}/x"
    async with TaxDocuments(TaxDocumentSettings(timeout_s=50, reading_timeout_s=50)) as documents:
        with pytest.raises(TaxServiceAddressRefused):
            await documents.fetch(access(url), KEY)
    assert service.connections == 0


@pytest.mark.asyncio
async def test_the_charset_of_the_content_type_is_used(service: TaxService, documents: TaxDocuments) -> None:
    body = result("<Estatus>3</Estatus><MsgEstatus>Ñandú</MsgEstatus>").decode().partition("?>")[2]
    for content_type in ("text/xml; charset=iso-8859-1", 'text/xml;CHARSET="ISO-8859-1"'):
        service.script(Answer(200, body.encode("latin-1"), content_type=content_type))
        with pytest.raises(TaxServiceRefused, match="Ñandú"):
            await documents.fetch(access(service.url), KEY)


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("text/xml; charset=utf-8", "utf-8"),
        ('text/xml; Charset="windows-1252"; action="x;charset=no"', "windows-1252"),
        ("text/xml", None),
        ("", None),
        ("text/xml; charset=", None),
        (f"text/xml; charset={'x' * 41}", None),
        ("text/xml; charset=ñ", None),
        ("text/xml; charset*=utf-8''x", None),
    ],
)
def test_a_charset_is_read_from_the_header(content_type: str, charset: str | None) -> None:
    assert charset_of(content_type) == charset


@pytest.mark.asyncio
async def test_the_certificate_is_checked(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path)
    async with TaxService(tls=server_context(certificate)) as service:
        service.script(xml_answer(found()))
        async with TaxDocuments(SETTINGS) as documents:
            with pytest.raises(TaxServiceUnreachable, match="CERT"):
                await documents.fetch(access(service.url), KEY)
        assert service.calls == []
        trusting = TaxDocumentSettings(
            allow_own_addresses=True, ca_file=certificate, timeout_s=50, reading_timeout_s=50
        )
        async with TaxDocuments(trusting) as documents:
            assert (await documents.fetch(access(service.url), KEY)).pdf == PDF


@pytest.mark.asyncio
async def test_a_provided_transport_stays_open() -> None:
    transport = FakeTransport()
    transport.answer(HttpReply(200, "text/xml", body=found()))
    async with TaxDocuments(SETTINGS, transport=transport) as documents:
        assert (await documents.fetch(access("https://dte.example.cl/x"), KEY)).pdf == PDF
    assert transport.closed == 0
    (request,) = transport.requests
    assert request.fresh
    assert PASSWORD not in repr(request)


def test_the_repr_of_the_access_hides_the_credentials() -> None:
    assert PASSWORD not in repr(access("https://dte.example.cl/x"))
    assert "ana" not in repr(access("https://dte.example.cl/x"))


def test_the_documentation_names_every_error_code() -> None:
    text = (Path(__file__).parents[5] / "docs" / "returns.md").read_text(encoding="utf-8")
    documented = text.split("\n### Errors of tax documents\n")[1]
    kinds = [*TaxDocumentError.__subclasses__(), *TaxServiceRefused.__subclasses__()]
    assert [kind.code for kind in kinds if f"`{kind.code}`" not in documented] == []

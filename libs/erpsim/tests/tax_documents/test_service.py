"""The service over real sockets, asked by the real zeep and by hand."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any
from xml.etree import ElementTree as ET

import aiohttp
import pikepdf
import pypdfium2  # type: ignore[import-untyped, unused-ignore] # it carries no types
import pytest
import zeep.exceptions

from erpsim.company.switches import TaxAnswer
from erpsim.desk import Desk
from erpsim.faults import BadGateway, Delay, Drip, Drop, Fault, GzipBomb, Truncate, When
from erpsim.process.ports import Listening
from erpsim.simulator import run_sim
from erpsim.tax_documents import Question

pytestmark = pytest.mark.asyncio

Open = Callable[..., AbstractAsyncContextManager[Any]]
FIRST = 1001
ENVELOPE = (
    '<e:Envelope xmlns:e="{version}"><e:Body><Consulta_TXTDTE xmlns="http://tempuri.org/">{fields}'
    "</Consulta_TXTDTE></e:Body></e:Envelope>"
)
SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/"
ACTION = {"SOAPAction": '"http://tempuri.org/Consulta_TXTDTE"', "Content-Type": "text/xml; charset=utf-8"}


async def post(url: str, body: str, headers: dict[str, str] | None = None) -> tuple[int, str, str]:
    async with aiohttp.ClientSession() as client:
        answer = await client.post(url, data=body.encode(), headers=headers or ACTION, allow_redirects=False)
        return answer.status, answer.content_type, await answer.text()


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    page = document[0].get_textpage()
    text: str = page.get_text_range()
    page.close()
    document.close()
    return text


@pytest.mark.parametrize("binding", ["DTELocalSoap", "DTELocalSoap12"])
async def test_zeep_reads_a_guide_by_the_services_own_wsdl(provider: Open, binding: str) -> None:
    async with provider() as tax:
        result = await tax.ask(FIRST, binding=binding)
        assert (result.Estatus, result.MsgEstatus, result.PDFCedible) == (0, "Ok", None)
        assert f"Guía de despacho electrónica N° {FIRST}" in text_of(result.PDF)
        document = ET.fromstring(result.XML.encode("latin-1"))
        assert [document.findtext(f".//{{*}}{name}") for name in ("TipoDTE", "Folio", "RUTEmisor")] == [
            "52", "1001", "76543210-3",
        ]  # fmt: skip
        assert tax.service.questions == [Question(issuer="76543210-3", document_type="52", folio="1001")]


async def test_every_return_of_the_seed_has_a_folio(provider: Open) -> None:
    async with provider() as tax:
        desk: Any = Desk(tax.sim.world)
        folios = [row["FolioNumber"] for row in desk.rows("PurchaseReturns")]
        assert len(folios) > 3
        assert sorted(folios) == list(range(FIRST, FIRST + len(folios)))


async def test_without_the_service_no_return_has_a_folio() -> None:
    async with run_sim(seed="returns") as sim:
        assert sim.tax_documents is None
        assert {row["FolioNumber"] for row in Desk(sim.world).rows("PurchaseReturns")} == {None}


async def test_a_new_return_gets_its_folio_and_can_be_printed(provider: Open) -> None:
    async with provider() as tax:
        entry = tax.add_return()
        await until(lambda: tax.row(entry)["FolioNumber"])
        result = await tax.ask(tax.row(entry)["FolioNumber"])
        assert result.Estatus == 0
        row = tax.row(entry)
        assert row["FolioPrefixString"] == "GE"
        assert row["CardName"][:20] in text_of(result.PDF)


async def test_a_folio_arrives_later_or_never(provider: Open) -> None:
    async with provider(folio_delay_s=0.05) as tax:
        entry = tax.add_return()
        assert tax.row(entry)["FolioNumber"] is None
        await until(lambda: tax.row(entry)["FolioNumber"])
    async with provider(folio_delay_s=None) as tax:
        entry = tax.add_return()
        await asyncio.sleep(0)
        assert tax.row(entry)["FolioNumber"] is None
        tax.service.folios.give(entry)
        assert tax.row(entry)["FolioNumber"] is not None


async def test_a_return_in_a_non_electronic_series_gets_no_folio(provider: Open) -> None:
    async with provider() as tax:
        entry = tax.add_return(Series=82)
        tax.service.folios.give_all()
        assert tax.row(entry)["FolioNumber"] is None


async def test_a_return_that_a_change_set_undid_leaves_no_folio(provider: Open) -> None:
    async with provider() as tax:
        before = len(Desk(tax.sim.world).rows("PurchaseReturns"))
        with contextlib.suppress(ZeroDivisionError), tax.sim.world.transaction():
            tax.add_return()
            raise ZeroDivisionError
        await asyncio.sleep(0.01)
        assert len(Desk(tax.sim.world).rows("PurchaseReturns")) == before
        entry = tax.add_return()
        await until(lambda: tax.row(entry)["FolioNumber"])
        assert tax.row(entry)["FolioNumber"] == FIRST + before


async def test_the_configuration_table_contains_address_and_credentials(provider: Open) -> None:
    async with provider() as tax:
        [row] = Desk(tax.sim.world).rows("U_DTE_CONFC")
        assert row | {"U_Url": tax.service.url} == row
        assert {name: row[f"U_{name}"] for name in ("Usuario", "Clave", "RutEmisor", "Activo")} == {
            "Usuario": "dte",
            "Clave": "dte-demo",
            "RutEmisor": "76543210-3",
            "Activo": "Y",
        }
        fields = Desk(tax.sim.world).rows("UserFieldsMD", filter="TableName eq '@DTE_CONFC'")
        assert [field["Name"] for field in fields] == ["Url", "Usuario", "Clave", "RutEmisor", "Activo"]


async def test_the_service_runs_without_a_configuration_table() -> None:
    async with run_sim(seed="small", listening=Listening(tax_documents_port=0)) as sim:
        assert sim.tax_documents is not None
        assert "U_DTE_CONFC" not in sim.world.facts.entity_sets


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"Usuario": "otro"}, 1),
        ({"Clave": "dte-Demo"}, 1),
        ({"Clave": None}, 1),
        ({"RutEmpresa": ""}, 2),
        ({"RutEmpresa": "1-9"}, 3),
        ({"TipoDocto": 33}, 3),
        ({"NroDocto": 999_999}, 3),
        ({"NroDocto": -1}, 2),
    ],
)
async def test_an_unavailable_document_is_refused_with_a_status(
    provider: Open, fields: dict[str, Any], status: int
) -> None:
    async with provider() as tax:
        result = await tax.ask(FIRST, **fields)
        assert result.Estatus == status
        assert result.PDF is None
        assert result.MsgEstatus


async def test_a_misspelled_field_counts_as_missing(provider: Open) -> None:
    async with provider() as tax:
        fields = "<RUTEmpresa>76543210-3</RUTEmpresa><TipoDocto>52</TipoDocto><NroDocto>1001</NroDocto>"
        fields += '<Usuario>dte</Usuario><Clave>dte-demo</Clave><x:y xmlns:x="z"/>'
        status, _, text = await post(tax.service.url, ENVELOPE.format(version=SOAP_11, fields=fields))
        assert (status, "<Estatus>2</Estatus>" in text) == (200, True)


@pytest.mark.parametrize(
    ("body", "headers", "said"),
    [
        ("<e", ACTION, "error in XML document"),
        ("<!DOCTYPE a><e/>", ACTION, "DTD is prohibited"),
        ("<e/>", ACTION, "did not find the operation"),
        (ENVELOPE.format(version=SOAP_11, fields=""), {**ACTION, "SOAPAction": '""'}, "SOAPAction"),
        (ENVELOPE.format(version=SOAP_11, fields=""), {"Content-Type": "text/xml"}, "SOAPAction"),
        ("<e", {"Content-Type": "application/soap+xml"}, "soap:Sender"),
    ],
)
async def test_an_invalid_request_gets_a_fault(
    provider: Open, body: str, headers: dict[str, str], said: str
) -> None:
    async with provider() as tax:
        status, kind, text = await post(tax.service.url, body, headers)
        assert status == 500
        assert kind == headers["Content-Type"].partition(";")[0]
        assert "Fault>" in text
        assert said in text
        assert tax.service.questions == []


async def test_other_requests_are_answered_by_the_web_server(provider: Open) -> None:
    async with provider() as tax, aiohttp.ClientSession() as client:
        url = tax.service.url
        assert (await post(url, "{}", {"Content-Type": "application/json"}))[0] == 415
        assert (await client.put(url, headers=ACTION)).status == 405
        assert (await client.get(url + "x")).status == 404
        assert (await client.get(url.replace("wsfactlocal", "WSFactLocal"))).status == 200


NO_RESULT = {
    TaxAnswer.EXTRA_ELEMENT: zeep.exceptions.XMLParseError,
    TaxAnswer.OTHER_ORDER: zeep.exceptions.XMLParseError,
    TaxAnswer.FAULT: zeep.exceptions.Fault,
    TaxAnswer.HTML: zeep.exceptions.TransportError,
    TaxAnswer.HTML_502: zeep.exceptions.TransportError,
    TaxAnswer.REDIRECT: zeep.exceptions.Error,
    TaxAnswer.SOAP_12: zeep.exceptions.XMLSyntaxError,
    TaxAnswer.DTD: zeep.exceptions.DTDForbidden,
    TaxAnswer.ENTITY_BOMB: zeep.exceptions.Error,
}
"""Results of zeep, with its strictest settings, for answers without a document."""


@pytest.mark.parametrize("kind", list(NO_RESULT))
async def test_zeep_rejects_each_wrong_answer(provider: Open, kind: TaxAnswer) -> None:
    async with provider(tax_answer=kind) as tax:
        with pytest.raises(NO_RESULT[kind]):
            await tax.ask(FIRST)


@pytest.mark.parametrize(
    ("kind", "status", "holds"),
    [
        (TaxAnswer.NOT_READY, 4, None),
        (TaxAnswer.NO_SUCH_DOCUMENT, 3, None),
        (TaxAnswer.NO_PDF, 0, None),
        (TaxAnswer.EMPTY_PDF, 0, None),
        (TaxAnswer.HTML_AS_PDF, 0, b"<html>"),
        (TaxAnswer.CUT_PDF, 0, b"%PDF-"),
        (TaxAnswer.BASE64_TWICE, 0, base64.b64encode(b"%PDF-")[:6]),
        (TaxAnswer.NO_XML, 0, b"%PDF-"),
    ],
)
async def test_a_wrong_document_is_a_right_answer_to_zeep(
    provider: Open, kind: TaxAnswer, status: int, holds: bytes | None
) -> None:
    async with provider() as tax:
        tax.service.wrong[FIRST] = kind
        result = await tax.ask(FIRST)
        assert result.Estatus == status
        assert (result.PDF[: len(holds)] if holds else result.PDF) == holds
        assert (result.XML is None) == (kind is TaxAnswer.NO_XML or status > 0)
        if kind is TaxAnswer.CUT_PDF:
            assert b"%%EOF" not in result.PDF
        assert (await tax.ask(FIRST + 1)).PDF.startswith(b"%PDF-")


async def test_invalid_characters_of_base64_are_dropped(provider: Open) -> None:
    async with provider(tax_answer=TaxAnswer.BROKEN_BASE64) as tax:
        async with aiohttp.ClientSession() as client:
            fields = "<RutEmpresa>76543210-3</RutEmpresa><TipoDocto>52</TipoDocto><NroDocto>1001</NroDocto>"
            fields += "<Usuario>dte</Usuario><Clave>dte-demo</Clave>"
            body = ENVELOPE.format(version=SOAP_11, fields=fields)
            text = await (await client.post(tax.service.url, data=body, headers=ACTION)).text()
        encoded = text.partition("<PDF>")[2].partition("</PDF>")[0]
        with pytest.raises(ValueError, match="base64"):
            base64.b64decode(encoded, validate=True)


async def test_another_document_has_its_own_folio_in_the_xml(provider: Open) -> None:
    async with provider(tax_answer=TaxAnswer.OTHER_DOCUMENT) as tax:
        assert f"<Folio>{FIRST + 1}</Folio>" in (await tax.ask(FIRST)).XML


async def test_a_large_document_is_a_valid_pdf_of_twelve_megabytes(provider: Open) -> None:
    async with provider(tax_answer=TaxAnswer.LARGE_PDF) as tax:
        pdf = (await tax.ask(FIRST)).PDF
        assert len(pdf) > 12 * 1024 * 1024
        with pikepdf.open(io.BytesIO(pdf)) as document:
            assert len(document.pages) == 1


async def test_a_redirect_answer_has_status_302(provider: Open) -> None:
    async with provider(tax_answer=TaxAnswer.REDIRECT) as tax:
        fields = "<RutEmpresa>76543210-3</RutEmpresa><TipoDocto>52</TipoDocto><NroDocto>1001</NroDocto>"
        fields += "<Usuario>dte</Usuario><Clave>dte-demo</Clave>"
        status, _, _ = await post(tax.service.url, ENVELOPE.format(version=SOAP_11, fields=fields))
        assert status == 302


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (Drop(when=When.BEFORE_READING), aiohttp.ClientError),
        (Drop(when=When.BEFORE_WORK), aiohttp.ClientError),
        (Drop(when=When.AFTER_WORK), aiohttp.ClientError),
        (Truncate(keep_bytes=200), aiohttp.ClientPayloadError),
        (BadGateway(), None),
        (Delay(seconds=0.01), None),
        (Drip(chunk_bytes=5000, interval_s=0.001), None),
        (GzipBomb(unpacked_bytes=3_000_000), None),
    ],
)
async def test_faults_are_those_of_every_simulated_server(
    provider: Open, action: Any, error: type[Exception] | None
) -> None:
    async with provider() as tax, aiohttp.ClientSession() as client:
        tax.service.faults.add(Fault(action=action, method="POST"))
        body = ENVELOPE.format(version=SOAP_11, fields="")
        if error is not None:
            with pytest.raises(error):
                await (await client.post(tax.service.url, data=body, headers=ACTION)).read()
            return
        answer = await client.post(tax.service.url, data=body, headers=ACTION)
        content = await answer.read()
        assert answer.status == (502 if isinstance(action, BadGateway) else 200)
        assert (len(content) == 3_000_000) == isinstance(action, GzipBomb)


async def test_the_control_port_controls_the_tax_service_and_records_no_password(provider: Open) -> None:
    async with provider() as tax, aiohttp.ClientSession(base_url=tax.sim.control_url) as control:
        answer = {"folio": FIRST, "answer": "not-ready"}
        assert (await control.post("/tax-documents/answers", json=answer)).status == 204
        assert (await tax.ask(FIRST)).Estatus == 4
        wrong: list[Any] = [{"folio": FIRST, "answer": "x"}, {"folio": FIRST}, []]
        for body in wrong:
            assert (await control.post("/tax-documents/answers", json=body)).status == 400
        overview = await (await control.get("/tax-documents")).json()
        assert overview == {"running": True, "sessions": 0, "faults": 0, "calls": 2}
        assert "dte-demo" not in await (await control.get("/tax-documents/calls")).text()
        assert (await control.post("/reset")).status == 204
        assert tax.service.questions == []
        assert (await tax.ask(FIRST)).Estatus == 0


async def test_a_control_port_without_tax_service_answers_404() -> None:
    async with run_sim(listening=Listening(control_port=0)) as sim:
        assert sim.control_url is not None
        async with aiohttp.ClientSession(base_url=sim.control_url) as control:
            assert (await control.get("/tax-documents/calls")).status == 404


async def test_the_process_serves_tax_documents_and_prints_the_address() -> None:
    arguments = ("serve", "--port", "0", "--tax-documents-port", "0", "--seed", "returns")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "erpsim", *arguments, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "ERPSIM_TAX_ANSWER": "not-ready"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(50):
            ready = (await process.stdout.readline()).decode()
            found = re.search(r"tax documents (http://127\.0\.0\.1:[0-9]+/wsfactlocal/dtelocal\.asmx)", ready)
            assert found is not None, ready
            fields = "<RutEmpresa>76543210-3</RutEmpresa><TipoDocto>52</TipoDocto><NroDocto>1001</NroDocto>"
            fields += "<Usuario>dte</Usuario><Clave>dte-demo</Clave>"
            _, _, text = await post(found[1], ENVELOPE.format(version=SOAP_11, fields=fields))
            assert "<Estatus>4</Estatus>" in text
    finally:
        process.terminate()
        assert await process.wait() == 0


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - a folio is given by a timer
            await asyncio.sleep(0.002)

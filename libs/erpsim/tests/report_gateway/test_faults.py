"""Failures of the report gateway: those of its own under load, and scripted ones."""

from __future__ import annotations

import asyncio
import base64
import binascii
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import aiohttp
import pytest

from erpsim.company.switches import Switches
from erpsim.faults import Answer, BadGateway, Delay, Drop, Fault, Garbage, Refuse, Truncate, When
from erpsim.report_gateway import ReportGateway, run_report_gateway
from erpsim.report_gateway.faults import cut_pdf, export_failed, no_base64, no_pdf, nothing_printed

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
Export = Callable[..., Awaitable[tuple[int, bytes]]]
NOTHING = (200, b"(---)")
EXPORT = "rs/v1/ExportPDFData"


@asynccontextmanager
async def serving(
    sign_in: SignIn, *faults: Fault, **switches: float
) -> AsyncIterator[tuple[ReportGateway, aiohttp.ClientSession]]:
    """Run a gateway with these faults and a client of it."""
    known = Switches(**switches)  # type: ignore[arg-type] # names as given
    async with run_report_gateway(switches=known, faults=faults) as gateway, sign_in(gateway) as client:
        yield gateway, client


async def exports_at_once(sign_in: SignIn, export: Export, number: int) -> list[int]:
    """Return how many of so many exports at once fail, in two rounds."""
    failed = []
    async with serving(sign_in, report_export_s=0.3) as (gateway, client):
        for _ in range(2):
            tasks = [export(client, "RDR20001", {"DocKey@": "1"}) for _ in range(number)]
            answers = await asyncio.gather(*tasks)
            failed.append(answers.count(NOTHING))
        assert gateway.calls.max_in_flight == number
        assert len(gateway.log) == sum(failed)
    return failed


@pytest.mark.parametrize(("number", "failed"), [(2, [0, 0]), (3, [0, 0]), (4, [1, 0]), (5, [2, 1])])
async def test_four_parallel_exports_lose_some_documents(
    number: int, failed: list[int], sign_in: SignIn, export: Export
) -> None:
    assert await exports_at_once(sign_in, export, number) == failed


async def test_a_retry_after_parallel_exports_prints_the_document(sign_in: SignIn, export: Export) -> None:
    async with serving(sign_in, report_parallel=0) as (gateway, client):
        assert await export(client, "RDR20001", {"DocKey@": "1"}) == NOTHING
        assert gateway.log == ["RDR20001: collided with other exports"]
        gateway.world.switches = Switches()
        assert (await export(client, "RDR20001", {"DocKey@": "1"}))[0] == 201


async def test_an_export_lasts_for_the_configured_time(sign_in: SignIn, export: Export) -> None:
    async with serving(sign_in, report_export_s=0.3) as (_, client):
        started = time.monotonic()
        assert (await export(client, "RDR20001", {"DocKey@": "1"}))[0] == 201
        assert time.monotonic() - started >= 0.3


@pytest.mark.parametrize(
    ("fault", "answer"),
    [
        (nothing_printed(), NOTHING),
        (export_failed(), (200, b'"An error has occurred while generating the PDF file."')),
        (export_failed("No hay datos á", quoted=False), (200, "No hay datos á".encode())),
        (no_pdf(), (201, base64.b64encode(b"<html>An error page</html>"))),
        (no_base64(), (201, b"JVBERi0xLjMKJ~!*")),
        (Fault(action=Refuse(status=500, code=-5, text="No"), path=EXPORT), None),
        (Fault(action=BadGateway(), path=EXPORT), None),
        (Fault(action=Answer(status=200, body="late", when=When.AFTER_WORK), path=EXPORT), (200, b"late")),
        (Fault(action=Garbage(size_bytes=3), path=EXPORT), (201, b'{"v')),
    ],
)
async def test_scripted_failures_happen_once(
    fault: Fault, answer: tuple[int, bytes] | None, sign_in: SignIn, export: Export
) -> None:
    async with serving(sign_in, fault) as (_, client):
        met = await export(client, "RDR20001", {"DocKey@": "1"})
        if answer is None:
            assert met[0] >= 500
        else:
            assert met == answer
        assert (await export(client, "RDR20001", {"DocKey@": "1"}))[0] == 201


async def test_a_refusal_has_the_form_of_the_gateway(sign_in: SignIn) -> None:
    fault = Fault(action=Refuse(status=503, code=-5, text="No"))
    async with run_report_gateway(seed="empty") as gateway, sign_in(gateway) as client:
        gateway.faults.add(fault)
        answer = await client.get("rs/v1/LoadAuthorizedCRList")
        assert answer.status == 503
        assert await answer.json() == {"code": -5, "message": {"lang": "en-us", "value": "No"}}


async def test_a_garbled_export_is_not_valid_base64(sign_in: SignIn, export: Export) -> None:
    async with serving(sign_in, no_base64()) as (_, client):
        _, body = await export(client, "RDR20001", {"DocKey@": "1"})
    with pytest.raises(binascii.Error):
        base64.b64decode(body, validate=True)


async def test_a_pdf_can_be_truncated(sign_in: SignIn, export: Export) -> None:
    async with serving(sign_in, cut_pdf()) as (_, client):
        status, body = await export(client, "RDR20001", {"DocKey@": "1"})
    decoded = base64.b64decode(body, validate=True)
    assert (status, decoded[:5], b"%%EOF" in decoded) == (201, b"%PDF-", False)


async def test_an_answer_can_be_cut_in_the_middle(sign_in: SignIn, export: Export) -> None:
    async with serving(sign_in, Fault(action=Truncate(keep_bytes=100), path=EXPORT)) as (gateway, client):
        with pytest.raises(aiohttp.ClientPayloadError):
            await export(client, "RDR20001", {"DocKey@": "1"})
        assert gateway.exports[0].status == 201


@pytest.mark.parametrize("when", list(When))
async def test_a_connection_can_be_dropped_at_any_stage(when: When, sign_in: SignIn, export: Export) -> None:
    fault = Fault(action=Drop(when=when), method="POST", path=EXPORT)
    async with serving(sign_in, fault) as (gateway, client):
        with pytest.raises(aiohttp.ClientError):
            await export(client, "RDR20001", {"DocKey@": "1"})
        assert gateway.calls[-1].worked is (when is When.AFTER_WORK)


async def test_an_answer_can_be_slow(sign_in: SignIn) -> None:
    async with run_report_gateway(seed="empty") as gateway, sign_in(gateway) as client:
        gateway.faults.add(Fault(action=Delay(seconds=0.2), path="rs/v1/LoadCR"))
        started = time.monotonic()
        assert (await client.get("rs/v1/LoadCR?DocCode=RCRI0001")).status == 200
        assert time.monotonic() - started >= 0.2


async def test_expect_continue_is_answered_before_the_body(sign_in: SignIn) -> None:
    async with run_report_gateway() as gateway, sign_in(gateway) as client:
        array = [{"name": "DocKey@", "type": "xsd:decimal", "value": [["1"]]}]
        answer = await client.post(f"{EXPORT}?DocCode=RDR20001", json=array, expect100=True)
        assert answer.status == 201

"""The client over real sockets against a simulated report gateway, with the calls counted."""

import asyncio
import base64
import json
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
import structlog

from erp_gateway.reports.crystal.client import QUEUE_LIMIT_PER_USER, ReportGatewayClient
from erp_gateway.reports.crystal.errors import (
    GatewayConnectTimeout,
    GatewayLoginFailed,
    GatewayUnreachable,
    ReportEmpty,
    ReportFailed,
    ReportUnknown,
)
from erp_gateway.settings.report_gateway import ReportGateway as ReportGatewaySettings
from erp_gateway.web.upstream_errors import UpstreamForbidden
from erpclient import Caller
from erpsim.company.switches import Base64Form, LostSession
from erpsim.faults import Answer, Delay, Drop, ExpireSession, Fault, Garbage, GzipBomb, Truncate
from erpsim.process.ports import Listening
from erpsim.report_gateway import ReportGateway
from erpsim.report_gateway.faults import cut_pdf, export_failed, no_base64, no_pdf, nothing_printed
from erpsim.simulator import run_sim
from servicekit.clock import ManualClock
from servicekit.config import Secret
from servicekit.erp.errors import (
    ClientGone,
    QueueIsFull,
    UpstreamBusy,
    UpstreamFailed,
    UpstreamTimeout,
    UpstreamUnreachable,
    UpstreamUnreadable,
)
from servicekit.errors import ServiceError, ShuttingDown

if TYPE_CHECKING:
    from tests.unit.reports.crystal.conftest import OpenClient

EXPORT = "rs/v1/ExportPDFData"
ORDER = b'[{"name":"DocKey@","type":"xsd:decimal","value":[["1"]]}]'
ANA = Caller("ana")


async def export(client: ReportGatewayClient, caller: Caller = ANA) -> bytes:
    return await client.export_pdf("RDR20001", ORDER, caller)


async def outcome(client: ReportGatewayClient, caller: Caller = ANA) -> type[ServiceError] | None:
    """Export; return the kind of refusal, None for a PDF."""
    try:
        await export(client, caller)
    except ServiceError as refused:
        return type(refused)
    return None


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - the queue has no event for it
            await asyncio.sleep(0.002)


def logins(gateway: ReportGateway) -> int:
    return len(gateway.calls.of("POST", "login"))


def exports(gateway: ReportGateway) -> int:
    return len(gateway.calls.of("POST", EXPORT))


def switch(gateway: ReportGateway, **switches: Any) -> None:
    gateway.world.switches = attrs.evolve(gateway.world.switches, **switches)


@pytest.mark.asyncio
async def test_an_export_is_a_pdf_and_one_login_serves_many(
    client: ReportGatewayClient, simulated: ReportGateway
) -> None:
    assert simulated.calls.total == 0
    for _ in range(3):
        assert (await export(client)).startswith(b"%PDF-")
    assert (logins(simulated), exports(simulated)) == (1, 3)
    assert simulated.exports[0].code == "RDR20001"


@pytest.mark.asyncio
@pytest.mark.parametrize("answer", LostSession)
async def test_a_lost_session_of_any_form_is_renewed_and_no_redirection_followed(
    client: ReportGatewayClient, simulated: ReportGateway, answer: LostSession
) -> None:
    switch(simulated, report_lost_session=answer)
    await export(client)
    simulated.sessions.end_all()
    await export(client)
    assert (logins(simulated), exports(simulated)) == (2, 3)
    assert {call.path for call in simulated.calls} == {"login", EXPORT}


@pytest.mark.asyncio
async def test_a_lost_session_is_renewed_once_and_the_call_repeated_once(
    client: ReportGatewayClient, simulated: ReportGateway, clock: ManualClock
) -> None:
    simulated.faults.add(Fault(action=ExpireSession(), path=EXPORT, times=None))
    assert await outcome(client) is GatewayLoginFailed
    assert (logins(simulated), exports(simulated)) == (2, 2)
    assert await outcome(client) is GatewayLoginFailed
    assert (logins(simulated), exports(simulated)) == (2, 3)  # no login during the pause
    clock.advance(5)
    simulated.faults.clear()
    assert await outcome(client) is None


@pytest.mark.asyncio
async def test_a_user_without_the_right_is_distinguished_and_does_not_log_in_each_time(
    client: ReportGatewayClient, simulated: ReportGateway
) -> None:
    simulated.faults.add(Fault(action=Answer(status=403), path="rs/*", times=None))
    for _ in range(5):
        assert await outcome(client) is UpstreamForbidden
    assert logins(simulated) == 2


@pytest.mark.asyncio
async def test_an_empty_export_is_retried_once(client: ReportGatewayClient, simulated: ReportGateway) -> None:
    simulated.faults.add(nothing_printed())
    assert await outcome(client) is None
    assert exports(simulated) == 2


@pytest.mark.asyncio
async def test_a_second_empty_export_is_reported_with_both_causes(
    client: ReportGatewayClient, simulated: ReportGateway
) -> None:
    simulated.faults.add(nothing_printed(times=None))
    with pytest.raises(ReportEmpty) as refused:
        await export(client)
    assert "nada que imprimir" in refused.value.detail
    assert "sobrecargada" in refused.value.detail
    assert exports(simulated) == 2


@pytest.mark.asyncio
async def test_a_truncated_pdf_is_retried_once(client: ReportGatewayClient, simulated: ReportGateway) -> None:
    simulated.faults.add(cut_pdf())
    assert (await export(client)).rstrip().endswith(b"%%EOF")
    assert exports(simulated) == 2
    simulated.faults.add(cut_pdf(times=None))
    with structlog.testing.capture_logs() as logged:
        assert await outcome(client) is ReportFailed
    assert exports(simulated) == 4
    assert [each["answer"] for each in logged if each["event"] == "report_failed"] == [
        "a PDF of 63 bytes without its end"
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize("form", Base64Form)
async def test_base64_is_read_however_it_is_written(
    client: ReportGatewayClient, simulated: ReportGateway, form: Base64Form
) -> None:
    switch(simulated, report_base64=form)
    assert (await export(client)).startswith(b"%PDF-")
    assert exports(simulated) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("quoted", [True, False])
async def test_a_text_is_a_failure_without_a_retry(
    client: ReportGatewayClient, simulated: ReportGateway, quoted: bool
) -> None:
    simulated.faults.add(export_failed("No hay formato", quoted=quoted, times=None))
    with pytest.raises(ReportFailed) as refused:
        await export(client)
    assert refused.value.upstream is not None
    assert refused.value.upstream.message == "No hay formato"
    assert exports(simulated) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "fault",
    [
        no_pdf(times=None),
        no_base64(times=None),
        Fault(action=Answer(status=400, body='{"code":400}'), path=EXPORT),
        Fault(action=Answer(status=404, body="%PDF-"), path=EXPORT),
        Fault(action=Answer(status=201, body="%PDF-1.4 but no base64"), path=EXPORT),
    ],
)
async def test_anything_but_a_pdf_is_a_failure_with_any_status(
    client: ReportGatewayClient, simulated: ReportGateway, fault: Fault
) -> None:
    simulated.faults.add(fault)
    assert await outcome(client) is ReportFailed
    assert exports(simulated) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "event"),
    [(400, "report_failed"), (500, "report_gateway_failed"), (503, "report_gateway_failed")],
)
async def test_the_text_of_a_failed_export_is_in_the_log(
    client: ReportGatewayClient, simulated: ReportGateway, status: int, event: str
) -> None:
    text = "Report server is out of memory\nfor erpsim"
    simulated.faults.add(Fault(action=Answer(status=status, body=text), path=EXPORT))
    with structlog.testing.capture_logs() as logged:
        await outcome(client)
    (line,) = [each for each in logged if each["event"] == event]
    assert line["answer"].startswith(f"status {status}: Report server is out of memory for ")
    assert "erpsim" not in str(logged)


@pytest.mark.asyncio
@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_gateway_is_reported_as_busy(
    client: ReportGatewayClient, simulated: ReportGateway, status: int
) -> None:
    simulated.faults.add(Fault(action=Answer(status=status), path=EXPORT))
    assert await outcome(client) is UpstreamBusy


@pytest.mark.asyncio
async def test_texts_that_are_not_for_people_are_in_the_log(
    client: ReportGatewayClient, simulated: ReportGateway
) -> None:
    simulated.faults.add(export_failed("no route to hana01:30015\nSELECT 1", quoted=False))
    with structlog.testing.capture_logs() as exported, pytest.raises(ReportFailed) as failed:
        await export(client)
    assert failed.value.upstream is None
    assert [each["answer"] for each in exported if each["event"] == "report_failed"] == [
        "no route to hana01:30015 SELECT 1"
    ]


@pytest.mark.asyncio
async def test_no_name_of_the_configuration_reaches_people_and_no_password_the_log(
    open_client: "OpenClient", simulated: ReportGateway
) -> None:
    host = simulated.url.partition("//")[2].partition(":")[0]
    async with open_client(simulated.url, instance="NDB@hana:30013") as client:
        with structlog.testing.capture_logs() as logged:
            for name in (host, "sbo%5Fdemo", "MANAGER", "ErpSim", "NDB"):
                simulated.faults.add(export_failed(f"No abre {name} ahora"))
                with pytest.raises(ReportFailed) as failed:
                    await export(client)
                assert failed.value.upstream is None
    result = [each["answer"] for each in logged if each["event"] == "report_failed"]
    assert result == [
        *(f"No abre {host} ahora", "No abre sbo%5Fdemo ahora", "No abre MANAGER ahora"),
        *("No abre *** ahora", "No abre NDB ahora"),
    ]


@pytest.mark.asyncio
async def test_the_password_in_a_refused_login_is_masked_in_the_log(
    open_client: "OpenClient", simulated: ReportGateway
) -> None:
    refusal = json.dumps({"code": "hush", "message": "no user manager/HUSH%21"})
    simulated.faults.add(Fault(action=Answer(status=200, body=refusal), path="login"))
    with structlog.testing.capture_logs() as logged:
        async with open_client(simulated.url, password="hush!") as client:
            assert await outcome(client) is GatewayLoginFailed
    (refused,) = [each for each in logged if each["event"] == "report_gateway_refused"]
    assert refused["reason"].endswith("(code hush): no user manager/***")


@pytest.mark.asyncio
async def test_why_a_login_was_refused_is_in_the_log(
    open_client: "OpenClient", simulated: ReportGateway
) -> None:
    text = "unknown instance NDB@hana01:30013"
    simulated.faults.add(
        Fault(action=Answer(status=200, body=json.dumps({"code": -1, "message": text})), path="login")
    )
    with structlog.testing.capture_logs() as logged:
        async with open_client(simulated.url) as client:
            assert await outcome(client) is GatewayLoginFailed
    (refused,) = [each for each in logged if each["event"] == "report_gateway_refused"]
    assert text in refused["reason"]


@pytest.mark.asyncio
@pytest.mark.parametrize("status", [200, 201])
async def test_a_pdf_is_a_pdf_also_with_status_200(
    client: ReportGatewayClient, simulated: ReportGateway, status: int
) -> None:
    body = base64.b64encode(b"%PDF-1.7 ok %%EOF").decode()
    simulated.faults.add(Fault(action=Answer(status=status, body=body), path=EXPORT))
    assert await export(client) == b"%PDF-1.7 ok %%EOF"


@pytest.mark.asyncio
async def test_a_large_pdf_is_decoded_outside_the_event_loop(
    client: ReportGatewayClient, simulated: ReportGateway
) -> None:
    pdf = b"%PDF-1.7 " + b"x" * 3_000_000 + b"%%EOF"
    simulated.faults.add(Fault(action=Answer(status=201, body=base64.b64encode(pdf).decode()), path=EXPORT))
    assert await export(client) == pdf


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("action", "refusal"),
    [
        (Truncate(keep_bytes=100), UpstreamUnreadable),
        (GzipBomb(unpacked_bytes=60_000_000), UpstreamUnreadable),
        (Drop(), UpstreamUnreachable),
        (Answer(status=502, body="<html>"), UpstreamFailed),
        (Answer(status=503), UpstreamBusy),
    ],
)
async def test_truncated_oversized_and_missing_replies_are_distinguished(
    client: ReportGatewayClient,
    simulated: ReportGateway,
    action: Truncate | GzipBomb | Drop | Answer,
    refusal: type[ServiceError],
) -> None:
    simulated.faults.add(Fault(action=action, path=EXPORT))
    assert await outcome(client) is refusal
    assert exports(simulated) == 1
    assert await outcome(client) is None


@pytest.mark.check
@pytest.mark.asyncio
async def test_a_report_that_takes_too_long_is_504_and_frees_its_place(
    open_client: "OpenClient", simulated: ReportGateway
) -> None:
    async with open_client(simulated.url, timeout_s=5, max_concurrency=1) as client:
        await client.load_authorized(ANA)
        simulated.faults.add(Fault(action=Delay(seconds=60), path=EXPORT))
        started = asyncio.get_running_loop().time()
        assert await outcome(client) is UpstreamTimeout
        assert asyncio.get_running_loop().time() - started < 50
        assert client.queue_stats.in_flight == 0
        assert await outcome(client) is None


@pytest.mark.asyncio
async def test_the_repetition_shares_the_time_of_the_report(
    open_client: "OpenClient", simulated: ReportGateway
) -> None:
    async with open_client(simulated.url, timeout_s=2) as client:
        await client.load_authorized(ANA)
        simulated.faults.add(nothing_printed(times=None))
        simulated.faults.add(Fault(action=Delay(seconds=1.4), path=EXPORT, times=None))
        assert await outcome(client) is UpstreamTimeout


@pytest.mark.asyncio
async def test_no_more_exports_run_at_once_than_allowed_and_none_is_dropped(
    client: ReportGatewayClient, simulated: ReportGateway
) -> None:
    found = await asyncio.gather(*(outcome(client, Caller(f"u{number % 3}")) for number in range(12)))
    assert found == [None] * 12
    assert simulated.calls.max_in_flight == 2
    assert exports(simulated) == 12


@pytest.mark.asyncio
async def test_the_queue_is_bounded_for_each_user(
    client: ReportGatewayClient, simulated: ReportGateway
) -> None:
    switch(simulated, report_export_s=0.5)
    running = [asyncio.create_task(outcome(client, Caller("luis"))) for _ in range(2)]
    await until(lambda: client.queue_stats.in_flight == 2)
    waiting = [asyncio.create_task(outcome(client)) for _ in range(QUEUE_LIMIT_PER_USER)]
    await until(lambda: client.queue_stats.waiting == QUEUE_LIMIT_PER_USER)
    assert await outcome(client) is QueueIsFull
    client.drain()
    assert await asyncio.gather(*waiting) == [ShuttingDown] * QUEUE_LIMIT_PER_USER
    assert await asyncio.gather(*running) == [None, None]
    assert await outcome(client) is ShuttingDown
    assert exports(simulated) == 2


@pytest.mark.asyncio
async def test_a_disconnect_while_waiting_prevents_the_export(
    open_client: "OpenClient", simulated: ReportGateway
) -> None:
    switch(simulated, report_export_s=0.3)
    left = asyncio.Event()
    async with open_client(simulated.url, max_concurrency=1) as client:
        running = asyncio.create_task(outcome(client))
        await until(lambda: client.queue_stats.in_flight == 1)
        waiting = asyncio.create_task(outcome(client, Caller("luis", disconnected=left.wait)))
        await until(lambda: client.queue_stats.waiting == 1)
        left.set()
        assert await waiting is ClientGone
        assert await running is None
    assert exports(simulated) == 1


@pytest.mark.asyncio
async def test_the_catalogue_holds_no_layouts_of_documents(client: ReportGatewayClient) -> None:
    codes = {each.code for each in await client.load_authorized(ANA)}
    assert "RCRI0001" in codes
    assert not {code for code in codes if not code.startswith("RCRI")}
    assert await client.load_parameters("RDR20001", ANA)


@pytest.mark.asyncio
async def test_an_unknown_report_is_an_empty_object(
    client: ReportGatewayClient, simulated: ReportGateway
) -> None:
    with pytest.raises(ReportUnknown):
        await client.load_parameters("NOPE/1 &x", ANA)
    (call,) = simulated.calls.of("GET", "rs/v1/LoadCR")
    assert (call.status, call.query) == (200, "DocCode=NOPE%2F1%20%26x")


@pytest.mark.asyncio
async def test_a_strange_answer_to_a_read_is_unreadable(
    client: ReportGatewayClient, simulated: ReportGateway
) -> None:
    for action in (Garbage(), Answer(status=404, body="{}"), Truncate(keep_bytes=5)):
        simulated.faults.add(Fault(action=action, path="rs/v1/LoadCR"))
        with pytest.raises(UpstreamUnreadable):
            await client.load_parameters("RDR20001", ANA)


@pytest.mark.asyncio
@pytest.mark.parametrize("refused", [True, False])
async def test_leaving_logs_out_with_any_reply(
    open_client: "OpenClient", simulated: ReportGateway, refused: bool
) -> None:
    switch(simulated, report_logout_fails=refused)
    async with open_client(simulated.url) as client:
        await export(client)
        assert len(simulated.sessions) == 1
    assert len(simulated.sessions) == 0
    assert len(simulated.calls.of("POST", "logout")) == 1


@pytest.mark.asyncio
async def test_calls_after_the_stop_are_refused_because_of_the_stop(
    open_client: "OpenClient", simulated: ReportGateway
) -> None:
    async with open_client(simulated.url) as client:
        pass
    assert await outcome(client) is ShuttingDown


@pytest.mark.asyncio
async def test_leaving_without_a_session_or_a_gateway_raises_no_error(
    open_client: "OpenClient", simulated: ReportGateway
) -> None:
    async with open_client(simulated.url):
        pass
    assert simulated.calls.total == 0
    async with open_client(simulated.url) as client:
        await export(client)
        simulated.faults.add(Fault(action=Drop(), path="logout"))


@pytest.mark.asyncio
async def test_a_gateway_that_is_not_there_is_unreachable(open_client: "OpenClient") -> None:
    async with open_client("http://127.0.0.1:1") as client:
        assert await outcome(client) is GatewayUnreachable


@pytest.mark.asyncio
async def test_a_gateway_that_takes_no_connection_in_time_is_unavailable(open_client: "OpenClient") -> None:
    with ExitStack() as sockets:
        full = sockets.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):  # they fill the queue of connections that nobody accepts
            waiting = sockets.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        async with open_client(f"http://127.0.0.1:{full.getsockname()[1]}", timeout_s=0.5) as client:
            with pytest.raises(GatewayConnectTimeout) as refused:
                await client.load_authorized(ANA)
    assert (refused.value.status, refused.value.code) == (503, "upstream_timeout")


@pytest.mark.asyncio
async def test_an_instance_is_named_where_the_gateway_needs_one(
    open_client: "OpenClient", simulated: ReportGateway, clock: ManualClock
) -> None:
    switch(simulated, report_db_instance="NDB@hana:30013")
    async with open_client(simulated.url) as client:
        assert await outcome(client) is GatewayLoginFailed
    async with open_client(simulated.url, instance="NDB@hana:30013") as client:
        assert await outcome(client) is None


@pytest.mark.asyncio
async def test_a_certificate_is_checked_against_the_configured_authorities(
    tmp_path: Path, clock: ManualClock
) -> None:
    async with run_sim(listening=Listening(tls=True, report_gateway_port=0)) as sim:
        assert sim.report_gateway is not None
        assert sim.certificate is not None
        ca_file = tmp_path / "ca.pem"
        ca_file.write_bytes(sim.certificate.certificate_pem)
        for trusted, verify_tls, refusal in (
            (None, True, GatewayUnreachable),
            (ca_file, True, None),
            (None, False, None),
        ):
            settings = ReportGatewaySettings(
                url=sim.report_gateway.url,
                company_db="SBO_DEMO",
                user="manager",
                password=Secret("erpsim"),
                timeout_s=5,
                ca_file=trusted,
            )
            async with ReportGatewayClient(settings, verify_tls=verify_tls, clock=clock) as client:
                assert await outcome(client) is refusal


@pytest.mark.asyncio
async def test_no_secret_is_ever_logged(open_client: "OpenClient", simulated: ReportGateway) -> None:
    with structlog.testing.capture_logs() as lines:
        async with open_client(simulated.url) as client:
            await export(client)
            cookie = (await client._session.get_ticket()).cookie.rpartition("=")[2]
            simulated.sessions.end_all()
            simulated.faults.add(nothing_printed(times=2))
            assert await outcome(client) is ReportEmpty
        async with open_client(simulated.url, password="hush-hush") as client:
            assert await outcome(client) is GatewayLoginFailed
    text = str(lines)
    assert {line["event"] for line in lines} >= {"report_gateway_session_opened", "report_gateway_refused"}
    assert "hush-hush" not in text
    assert len(cookie) > 10
    assert cookie not in text


@pytest.mark.asyncio
async def test_leaving_does_not_wait_for_running_reads(
    open_client: "OpenClient", simulated: ReportGateway
) -> None:
    simulated.faults.add(Fault(action=Delay(seconds=15), path="login"))
    started = asyncio.get_running_loop().time()
    async with open_client(simulated.url) as client:
        printing = asyncio.create_task(outcome(client))
        await until(lambda: logins(simulated) == 1)
    assert await printing is ShuttingDown
    assert asyncio.get_running_loop().time() - started < 10

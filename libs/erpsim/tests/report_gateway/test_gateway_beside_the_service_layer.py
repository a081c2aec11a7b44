"""The report gateway beside a Service Layer: one company, its layouts on both, one control port."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import pytest

from erpsim.process.ports import Listening
from erpsim.report_gateway import run_report_gateway
from erpsim.simulator import Simulator, run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
Export = Callable[..., Awaitable[tuple[int, bytes]]]
Pages = Callable[[bytes], list[str]]
LOGIN = {"CompanyDB": "SBO_DEMO", "UserName": "manager", "Password": "erpsim"}
BOTH = Listening(report_gateway_port=0, control_port=0)


async def service_layer(sim: Simulator, path: str, body: dict[str, Any], root: str = "v1") -> tuple[int, Any]:
    """Send one call to the Service Layer; return status and answer."""
    url = {"v1": sim.url, "v2": sim.url_v2}[root]
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as client:
        session = (await (await client.post(f"{url}/Login", json=LOGIN)).json(content_type=None))["SessionId"]
        headers = {"Cookie": f"B1SESSION={session}; ROUTEID=.node1"}
        answer = await client.post(f"{url}/{path}", json=body, headers=headers)
        return answer.status, await answer.json(content_type=None)


async def test_a_document_from_the_service_layer_can_be_printed_at_once(
    sign_in: SignIn, export: Export, pages: Pages
) -> None:
    async with run_sim(listening=BOTH) as sim:
        gateway = sim.report_gateway
        assert gateway is not None
        line = {"ItemCode": "AMP-0002", "Quantity": 3, "UnitPrice": 1000}
        order = {"CardCode": "C00004", "DocDueDate": "2026-05-04", "DocumentLines": [line]}
        status, created = await service_layer(sim, "Orders", order)
        assert status == 201
        async with sign_in(gateway) as client:
            _, body = await export(client, "RDR20001", {"DocKey@": str(created["DocEntry"])})
        assert f"Orden de venta N° {created['DocNum']}" in pages(body)[0]
        # Sessions, calls and faults are each server's own.
        assert len(gateway.calls.of("POST", "login")) == 1
        assert len(sim.calls.of("POST", "Login")) == 1


async def test_a_report_gateway_can_share_the_world_of_a_simulator(sign_in: SignIn) -> None:
    async with run_sim(seed="empty") as sim, run_report_gateway(world=sim.world) as gateway:
        assert sim.report_gateway is None
        assert gateway.world is sim.world


@pytest.mark.parametrize("root", ["v1", "v2"])
async def test_the_service_layer_lists_the_layouts_of_a_document_type(root: str) -> None:
    async with run_sim(seed="empty") as sim:
        body = {"ReportParams": {"ReportCode": "INV2"}}
        status, answer = await service_layer(sim, "ReportLayoutsService_GetReportLayoutList", body, root)
        assert status == 200
        assert answer["value"] == [
            {"LayoutCode": "INV20001", "LayoutName": "Factura", "Category": "rlcCrystal"},
            {"LayoutCode": "INV20002", "LayoutName": "Factura (formato PLD)", "Category": "rlcPLD"},
            {"LayoutCode": "INV20003", "LayoutName": "Factura (formato anterior)", "Category": "rlcCrystal"},
        ]


async def test_a_type_without_layouts_has_an_empty_list_and_no_default() -> None:
    body = {"ReportParams": {"ReportCode": "ZZZ9"}}
    async with run_sim(seed="empty") as sim:
        status, answer = await service_layer(sim, "ReportLayoutsService_GetReportLayoutList", body)
        assert (status, answer["value"]) == (200, [])
        assert (await service_layer(sim, "ReportLayoutsService_GetDefaultReport", body))[0] == 404


async def test_the_service_layer_names_the_default_layout_of_a_document_type() -> None:
    async with run_sim(seed="empty") as sim:
        body = {"ReportParams": {"ReportCode": "RDR2"}}
        status, answer = await service_layer(sim, "ReportLayoutsService_GetDefaultReport", body)
        assert status == 200
        assert (answer["ReportCode"], answer["LayoutCode"], answer["CardCode"]) == ("RDR2", "RDR20002", "-1")


async def test_a_call_without_its_parameters_is_refused() -> None:
    async with run_sim(seed="empty") as sim:
        for name in ("GetReportLayoutList", "GetDefaultReport"):
            assert (await service_layer(sim, f"ReportLayoutsService_{name}", {}))[0] == 400


async def test_the_control_port_shows_and_resets_the_report_gateway(sign_in: SignIn, export: Export) -> None:
    async with run_sim(listening=BOTH) as sim:
        gateway = sim.report_gateway
        assert gateway is not None
        assert sim.control_url is not None
        answer = {"kind": "answer", "status": 200, "body": "(---)", "content_type": "application/json"}
        rule = {"method": "POST", "path": "rs/v1/ExportPDFData", "action": answer}
        async with (
            aiohttp.ClientSession(base_url=f"{sim.control_url}/report-gateway/") as control,
            sign_in(gateway) as client,
        ):

            async def shown(path: str) -> Any:
                return await (await control.get(path)).json()

            assert await (await control.post("faults", json=rule)).json() == {"number": 1}
            assert (await export(client, "RDR20001", {"DocKey@": "1"}))[1] == b"(---)"
            assert (await export(client, "RDR20001", {"DocKey@": "x"}))[1] == b"(---)"
            assert await shown("log") == ["RDR20001: 'DocKey@' is no number"]
            assert (await shown(""))["sessions"] == 1
            calls = await shown("calls?path=rs/v1/ExportPDFData")
            assert (len(calls["calls"]), calls["max_in_flight"]) == (2, 1)
            assert (await control.delete("sessions")).status == 204
            assert (await export(client, "RDR20001", {"DocKey@": "1"}))[0] == 401
            assert (await control.get("nothing")).status == 404
            assert (await control.post(f"{sim.control_url}/reset")).status == 204
        assert (len(gateway.calls), len(gateway.faults), gateway.log) == (0, 0, [])


async def test_the_control_port_reports_a_missing_report_gateway() -> None:
    async with (
        run_sim(seed="empty", listening=Listening(control_port=0)) as sim,
        aiohttp.ClientSession() as c,
    ):
        assert (await c.get(f"{sim.control_url}/report-gateway/calls")).status == 404


async def test_the_command_serves_both_and_prints_their_addresses() -> None:
    arguments = ("serve", "--port", "0", "--report-gateway-port", "0", "--seed", "empty")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "erpsim", *arguments),
        stdout=asyncio.subprocess.PIPE,
        env={k: v for k, v in os.environ.items() if not k.startswith("ERPSIM_")}
        | {"ERPSIM_REPORT_PARALLEL": "3"},
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(30):
            line = (await process.stdout.readline()).decode()
        match = re.fullmatch(
            r"erpsim ready: http://\S+/b1s/v1, report gateway (http://127\.0\.0\.1:\d+)\n", line
        )
        assert match is not None
        async with aiohttp.ClientSession() as client:
            assert (await client.post(f"{match[1]}/login", json=LOGIN)).status == 200
        process.terminate()
        async with asyncio.timeout(30):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_the_drawing_library_is_loaded_only_for_printing() -> None:
    code = "import sys, erpsim.simulator; sys.exit('fpdf' in sys.modules)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await process.wait() == 0

"""Registered reports whose designer takes parameters away, on a simulated report gateway."""

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import attrs
import pytest
import pytest_asyncio

from erp_gateway.reports.crystal.service import GOOD_FOR_S
from erpsim.business.layout_catalogue import BY_CODE
from erpsim.business.layouts import LayoutParameter
from erpsim.faults import Answer, Fault
from erpsim.process.ports import Listening
from erpsim.report_gateway import ReportGateway
from erpsim.report_gateway.parameter_form import parameter_form
from erpsim.simulator import run_sim
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

STOCK, ORDER, ORDERS = "RCRI0002", "RDR20001", "/ventas/pedidos"
WAREHOUSE = "warehouse@Select * from OWHS"
VALUES = {WAREHOUSE: "01", "Fecha": "2026-01-31"}
LOOKS = ("GET", "rs/v1/LoadCR")
EXPORTS = ("POST", "rs/v1/ExportPDFData")


class Reports:
    """An administrator's calls, and a designer's work on the report gateway."""

    def __init__(self, gateway: "Gateway", upstream: ReportGateway, headers: dict[str, str]) -> None:
        self.gateway = gateway
        self.upstream = upstream
        self.headers = headers

    async def ask(self, method: str, path: str, **body: Any) -> "httpx2.Response":
        return await self.gateway.http.request(
            method, f"/api/gateway/{path}", headers=self.headers, json=body or None
        )

    async def register(self, code: str, *screens: str) -> None:
        found = (await self.ask("GET", f"authorized/{code}/parameters")).json()["parameters"]
        documents = [{"screen": screen, "default": False} for screen in screens]
        answer = await self.ask("PUT", f"registry/{code}", title=code, documents=documents, parameters=found)
        assert answer.status_code == 200, answer.text

    async def export(self) -> "httpx2.Response":
        return await self.ask("POST", f"reports/{STOCK}/export", values=VALUES)

    def design(self, *parameters: LayoutParameter) -> None:
        """Let the report have these parameters from now on."""
        self.upstream.faults.clear()
        body = json.dumps({"error": False, "resultSet": [parameter_form(each) for each in parameters]})
        action = Answer(status=200, body=body, content_type="application/json")
        self.upstream.faults.add(Fault(action=action, path=LOOKS[1], times=None))

    def designed(self, code: str = STOCK) -> list[LayoutParameter]:
        return list(BY_CODE[code].parameters)


@pytest_asyncio.fixture
async def reports(open_gateway: "OpenGateway") -> AsyncIterator[Reports]:
    async with run_sim(listening=Listening(report_gateway_port=0)) as sim:
        assert sim.report_gateway is not None
        settings = {
            "APIGATEWAY_URL": sim.report_gateway.url,
            "APIGATEWAY_COMPANY_DB": "SBO_DEMO",
            "APIGATEWAY_USER": "manager",
            "APIGATEWAY_PASSWORD": "erpsim",
        }
        async with open_gateway(sim, **settings) as gateway:
            yield Reports(gateway, sim.report_gateway, await gateway.signed_in())


@pytest.mark.asyncio
async def test_a_report_that_lost_a_parameter_is_refused_by_name(
    reports: Reports, clock: ManualClock
) -> None:
    await reports.register(STOCK)
    assert (await reports.export()).status_code == 200
    without = [each for each in reports.designed() if each.name != WAREHOUSE]
    reports.design(*without)
    clock.advance(GOOD_FOR_S)
    before = len(reports.upstream.exports)
    answer = await reports.export()
    assert (answer.status_code, answer.json()["code"]) == (409, "report_obsolete")
    assert "«warehouse»" in answer.json()["detail"]
    assert "OWHS" not in answer.text
    assert len(reports.upstream.exports) == before, "nothing was printed"
    audit = await reports.gateway.http.get("/api/audit?accion=report_export", headers=reports.headers)
    newest = audit.json()["items"][0]
    assert (newest["result"], newest["reason"]) == ("error", "report_obsolete")


@pytest.mark.asyncio
async def test_a_parameter_with_a_different_type_makes_the_report_obsolete(
    reports: Reports, clock: ManualClock
) -> None:
    await reports.register(STOCK)
    renewed = [
        attrs.evolve(each, type="xsd:string") if each.name == "Fecha" else each for each in reports.designed()
    ]
    reports.design(*renewed)
    clock.advance(GOOD_FOR_S)
    answer = await reports.export()
    assert (answer.status_code, answer.json()["code"]) == (409, "report_obsolete")
    assert "«Fecha»" in answer.json()["detail"]


@pytest.mark.asyncio
async def test_an_obsolete_report_prints_once_its_parameter_returns(
    reports: Reports, clock: ManualClock
) -> None:
    await reports.register(STOCK)
    reports.design(*reports.designed()[1:])
    clock.advance(GOOD_FOR_S)
    for _ in range(2):
        assert (await reports.export()).json()["code"] == "report_obsolete", "a refusal is not remembered"
    reports.upstream.faults.clear()
    assert (await reports.export()).status_code == 200


@pytest.mark.asyncio
async def test_an_obsolete_report_prints_once_it_is_registered_again(
    reports: Reports, clock: ManualClock
) -> None:
    await reports.register(STOCK)
    reports.design(*reports.designed()[:-1])
    clock.advance(GOOD_FOR_S)
    assert (await reports.export()).json()["code"] == "report_obsolete"
    await reports.register(STOCK)
    assert (await reports.export()).status_code == 200


@pytest.mark.asyncio
async def test_a_passed_check_is_remembered_for_a_minute(reports: Reports, clock: ManualClock) -> None:
    await reports.register(STOCK)
    looked = len(reports.upstream.calls.of(*LOOKS))
    for _ in range(3):
        assert (await reports.export()).status_code == 200
    assert len(reports.upstream.calls.of(*LOOKS)) == looked
    clock.advance(GOOD_FOR_S)
    for _ in range(3):
        assert (await reports.export()).status_code == 200
    assert len(reports.upstream.calls.of(*LOOKS)) == looked + 1


@pytest.mark.asyncio
async def test_a_print_format_that_lost_a_parameter_is_refused(reports: Reports, clock: ManualClock) -> None:
    await reports.register(ORDER, ORDERS)
    clock.advance(GOOD_FOR_S)
    reports.design(*reports.designed(ORDER)[1:])
    answer = await reports.ask("POST", "documents/export", screen=ORDERS, code=ORDER, docEntry=1)
    assert (answer.status_code, answer.json()["code"]) == (409, "report_obsolete")

"""An inspection of the simulated Service Layer: what it brings back, and that it can't do any harm."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
from structlog.testing import capture_logs

from erpclient import Credentials, ErpLoginRejected, ErpReplyUnreadable, ErpServerError, ErpSettings
from erpclient.http.calls import Call, create_call, query_call
from erpclient.odata import Dialect
from erpdoctor.inspection.answers import tag_of
from erpdoctor.inspection.inspection import Inspection
from erpsim.company.switches import Switches
from erpsim.faults import Answer, Drop, Fault, company_unavailable
from erpsim.simulator import Simulator, run_sim

pytestmark = pytest.mark.asyncio

CREDENTIALS = Credentials("SBO_DEMO", "manager", "erpsim")


@asynccontextmanager
async def inspecting(*, switches: Switches | None = None) -> AsyncIterator[tuple[Simulator, Inspection]]:
    async with run_sim(switches=switches) as sim:
        async with Inspection(ErpSettings(sim.url, timeout_s=10.0)) as inspection:
            yield sim, inspection
        assert len(sim.sessions) == 0


async def test_an_inspection_logs_in_once_reads_in_both_versions_and_logs_out() -> None:
    async with inspecting() as (sim, inspection):
        facts = await inspection.log_in(CREDENTIALS)
        assert (facts.version, facts.timeout_minutes, facts.route) == ("1000340", 30, True)
        old = await inspection.read("/Orders?$select=DocEntry&$top=1", headers={"B1S-PageSize": "1"})
        new = await inspection.read("/Orders?$select=DocEntry&$top=1", dialect=Dialect.V2)
        for answer in (old, new):
            assert answer.good
            (row,) = answer.rows()
            assert isinstance(row["DocEntry"], int)
            assert tag_of(row) is not None
        assert inspection.dialect is Dialect.V1
        assert old.headers["dataserviceversion"] == "3.0"
        assert new.headers["ODATA-Version"] == "4.0"
        assert inspection.calls == 3
    assert [(call.method, call.root, call.path) for call in sim.calls] == [
        ("POST", "/b1s/v1", "Login"),
        ("GET", "/b1s/v1", "Orders"),
        ("GET", "/b1s/v2", "Orders"),
        ("POST", "/b1s/v1", "Logout"),
    ]


async def test_a_refused_login_is_never_tried_again() -> None:
    async with inspecting() as (sim, inspection):
        with pytest.raises(ErpLoginRejected):
            await inspection.log_in(attrs.evolve(CREDENTIALS, password="wrong"))
        with pytest.raises(RuntimeError, match="logs in once"):
            await inspection.log_in(CREDENTIALS)
    assert [call.path for call in sim.calls] == ["Login"]


async def test_a_company_that_can_not_be_opened_is_reported_with_its_code() -> None:
    async with inspecting() as (sim, inspection):
        sim.faults.add(company_unavailable())
        with pytest.raises(ErpServerError) as failed:
            await inspection.log_in(CREDENTIALS)
        assert failed.value.code == 305


@pytest.mark.parametrize(
    "body", ['{"SessionId": "abc", "Version": 7}', '{"SessionId": "abc", "SessionTimeout": "x"}']
)
async def test_a_login_without_a_version_is_valid(body: str) -> None:
    async with run_sim() as sim:
        sim.faults.add(Fault(action=Answer(status=200, body=body), path="Login"))
        async with Inspection(ErpSettings(sim.url)) as inspection:
            facts = await inspection.log_in(CREDENTIALS)
            assert (facts.version, facts.timeout_minutes) == ("", None)


async def test_the_balancer_and_the_root_answer_without_a_session() -> None:
    async with inspecting() as (_, inspection):
        assert (await inspection.ping()).value()["message"] == "pong"
        probed = await inspection.probe()
        assert (probed.status, probed.error[0]) == (401, 301)
        assert not probed.good


async def test_only_read_only_services_are_called() -> None:
    async with inspecting() as (sim, inspection):
        await inspection.log_in(CREDENTIALS)
        result = await inspection.ask("CompanyService_GetCompanyInfo")
        assert result.value()["CompanyName"] == "Comercial Demo SpA"
        await inspection.ask("SeriesService_GetDocumentSeries", {"DocumentTypeParams": {"Document": "21"}})
        with pytest.raises(ValueError, match="not known to read only"):
            await inspection.ask("CompanyService_UpdateCompanyInfo", {})
        unknown = await inspection.run(query_call("DP_Stock", "", page_size=1))
        assert unknown.status == 404
        for call in (create_call("Orders", b"{}"), Call("POST", "Orders", "/Orders")):
            with pytest.raises(ValueError, match="is no stored query"):
                await inspection.run(call)
    assert not sim.calls.of("POST", "Orders")


@pytest.mark.parametrize(
    ("body", "reason"), [("{", "no JSON"), ("[]", "no list"), ('{"value": [1]}', "no list")]
)
async def test_an_invalid_page_of_records_is_reported(body: str, reason: str) -> None:
    async with inspecting() as (sim, inspection):
        await inspection.log_in(CREDENTIALS)
        sim.faults.add(Fault(action=Answer(status=200, body=body), path="Orders"))
        answer = await inspection.read("/Orders")
        with pytest.raises(ErpReplyUnreadable, match=reason):
            answer.rows()


async def test_a_logout_that_fails_is_only_logged() -> None:
    async with run_sim() as sim:
        sim.faults.add(Fault(action=Drop(), path="Logout"))
        with capture_logs() as lines:
            async with Inspection(ErpSettings(sim.url)) as inspection:
                await inspection.log_in(CREDENTIALS)
        assert [line["event"] for line in lines] == ["erp_logout_failed"]


async def test_a_record_without_a_tag_has_none() -> None:
    row: dict[str, Any] = {"DocEntry": 1, "odata.etag": 7}
    assert tag_of(row) is None
    assert tag_of({"@odata.etag": 'W/"A"'}) == 'W/"A"'

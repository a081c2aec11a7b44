"""The doctor never writes, never logs in twice, sends few requests, and never reveals the installation."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from installation import Installation

from erp_gateway.store.database import hold_process_lock
from erpsim.faults import Fault, Hang

pytestmark = pytest.mark.asyncio

Install = Callable[..., AbstractAsyncContextManager[Installation]]

READS_BY_POST = {"Login", "Logout", "CompanyService_GetPathAdmin"}


@asynccontextmanager
async def silent_server() -> AsyncIterator[int]:
    """Listen, take every connection and say nothing."""

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(wait, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_the_doctor_only_reads_and_logs_in_and_out_once(install: Install) -> None:
    async with install() as installation:
        before = installation.store.read_bytes()
        await installation.examine()
        calls = list(installation.sim.calls)
        assert {call.path for call in calls if call.method != "GET"} == READS_BY_POST
        assert len(installation.sim.calls.of("POST", "Login")) == 1
        assert len(installation.sim.calls.of("POST", "Logout")) == 1
        assert len(calls) <= 120
        assert installation.store.read_bytes() == before


async def test_the_doctor_reads_no_password(install: Install) -> None:
    async with install() as installation:
        await installation.examine("--only", "people")
        selects = [call.query for call in installation.sim.calls if "select" in call.query]
        assert selects
        assert not any("U_WEB_PASS" in query.partition("&")[0] for query in selects)
        assert all(
            call.path == "EmployeesInfo/$count"
            for call in installation.sim.calls
            if "U_WEB_PASS" in call.query
        )


async def test_a_refused_login_is_tried_once(install: Install) -> None:
    async with install() as installation:
        installation.environ["ERP_SL_PASSWORD"] = "wrong"
        await installation.examine()
        assert len(installation.sim.calls.of("POST", "Login")) == 1


async def test_calls_go_one_after_another_but_for_the_three_that_are_measured(install: Install) -> None:
    async with install(call_delay_s=0.01) as installation:
        await installation.examine()
        together = [call.path for call in installation.sim.calls if call.in_flight > 1]
        assert together == ["Warehouses", "Warehouses"]


async def test_without_any_reply_the_run_ends_within_a_minute(install: Install) -> None:
    async with install() as installation, silent_server() as port:
        installation.environ["ERP_SL_URL"] = f"http://127.0.0.1:{port}/b1s/v1"
        examined = await asyncio.wait_for(installation.examine(), 60)
        assert examined.found("fail") == {"network.answer": "no_answer"}
        assert examined.report["durationS"] < 60


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("Login", {"service-layer.login": "login_without_answer"}),
        ("$metadata", {"service-layer.metadata": "no_answer_in_time"}),
        ("[A-Z]*s", {"service-layer.resources": "resources_without_answer"}),
    ],
)
async def test_missing_replies_are_reported_and_dependent_checks_are_skipped(
    install: Install, path: str, told: dict[str, str]
) -> None:
    async with install() as installation:
        installation.environ |= {"ERP_SL_LOGIN_TIMEOUT": "3", "ERP_SL_TIMEOUT": "3"}
        fault = Fault(action=Hang(after_bytes=1, seconds=300), path=path, times=None)
        installation.sim.faults.add(fault)
        examined = await asyncio.wait_for(installation.examine(), 60)
    assert told.items() <= examined.found("fail").items()


async def test_parallel_calls_that_delay_each_other_suggest_a_setting(
    install: Install,
) -> None:
    async with install(parallel_penalty_s=1.5) as installation:
        installation.environ["ERP_SL_MAX_CONCURRENCY"] = "4"
        examined = await installation.examine("--only", "service-layer")
        assert examined.found("warn") == {"service-layer.parallel": "parallel_calls_dear"}
        (result,) = (each for each in examined.report["checks"] if each["name"] == "service-layer.parallel")
        assert (result["figures"]["suggested"], result["figures"]["configured"]) == (1, 4)
        assert result["figures"]["extra_s"] > 1


async def test_the_doctor_works_during_service_and_names_the_process_only_on_the_terminal(
    install: Install,
) -> None:
    async with install() as installation:
        with hold_process_lock(installation.store):
            examined = await installation.examine("--only", "store")
            _, result, _ = await installation.run("--only", "store")
    assert examined.found("fail", "warn") == {}
    assert examined.report["checks"][1]["figures"] == {"held": True}
    assert "process " in result


async def test_the_json_has_no_names_of_hosts_or_people_and_no_output_has_a_secret(
    install: Install,
) -> None:
    named = ("localhost", "manager", "CANARY_DB", "Canary SpA", "canary-web", "canary-gone", "app.sqlite")
    async with install(company="CANARY_DB", company_name="Canary SpA") as installation:
        installation.environ["ERP_SL_URL"] = installation.sim.url.replace("127.0.0.1", "localhost")
        installation.environ["ERP_SL_COMPANY_DB"] = "CANARY_DB"
        for number in (5, 6):
            installation.desk.change("EmployeesInfo", number, {"U_WEB_USER": "canary-web"})
        await installation.grant("canary-gone")
        _, table, _ = await installation.run()
        assert all(name in table for name in named if name != "Canary SpA")
        for password in ("erpsim", "canary-7a1"):
            installation.environ["ERP_SL_PASSWORD"] = password
            for arguments in (("--json",), ()):
                _, out, err = await installation.run(*arguments)
                assert password not in out + err
                if arguments:
                    assert [name for name in named if name in out + err] == []


async def test_an_unknown_group_is_refused_with_the_valid_names(install: Install) -> None:
    async with install() as installation:
        code, out, err = await installation.run("--only", "erp")
    assert (code, out) == (2, "")
    assert (
        "'erp' is no group of checks; allowed: settings, network, service-layer, attachments, store, people"
        in err
    )

"""The doctor writes nothing, logs in at most once, and reveals no secrets."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from returns_installation import AS_MANAGER, Installation

from erpsim.desk import Desk

pytestmark = pytest.mark.asyncio

Install = Callable[..., AbstractAsyncContextManager[Installation]]

READING_BY_POST = {"Login", "Logout", "SeriesService_GetDocumentSeries"}


async def test_the_doctor_only_reads_and_logs_in_and_out_once(install: Install) -> None:
    async with install() as installation:
        await installation.examine(*AS_MANAGER)
        calls = list(installation.sim.calls)
        posted = {call.path for call in calls if call.method != "GET"}
        assert {path for path in posted if not path.endswith(")/List")} == READING_BY_POST
        assert len(installation.sim.calls.of("POST", "Login")) == 1
        assert len(installation.sim.calls.of("POST", "Logout")) == 1
        assert len(calls) <= 30
        assert {call.in_flight for call in calls} == {1}


async def test_a_refused_login_is_tried_once(install: Install) -> None:
    async with install() as installation:
        installation.password = "wrong"
        await installation.examine(*AS_MANAGER)
        assert len(installation.sim.calls.of("POST", "Login")) == 1


async def test_without_an_account_the_erp_is_not_called(install: Install) -> None:
    async with install() as installation:
        examined = await installation.examine()
        assert installation.sim.calls.of("POST", "Login") == []
        assert examined.found("warn", "fail") == {}
        assert examined.found("skipped")["service-layer.account"] == "no_credentials"
        assert {name.partition(".")[0] for name in examined.found("ok")} == {"settings", "network"}
        assert examined.code == 0


async def test_the_doctor_reads_the_password_from_a_file(install: Install) -> None:
    async with install() as installation:
        installation.password = "wrong"
        file = installation.folder / "password"
        file.write_text("erpsim\n")
        examined = await installation.examine(*AS_MANAGER, "--password-file", str(file))
        assert examined.code == 0
        code, _, err = await installation.run(*AS_MANAGER, "--password-file", str(file / "none"))
        assert code == 2
        assert err.startswith("No se pudo leer la clave: ")


async def test_an_unknown_group_is_reported_with_the_existing_ones(install: Install) -> None:
    async with install() as installation:
        code, out, err = await installation.run("--only", "orders")
        assert (code, out) == (2, "")
        allowed = "settings, network, service-layer, returns, origin"
        assert err == f"error: 'orders' is no group of checks; allowed: {allowed}\n"


async def test_invalid_settings_are_reported_for_every_requested_group(install: Install) -> None:
    async with install() as installation:
        installation.environ["PORT"] = "many"
        examined = await installation.examine("--only", "network")
    assert examined.found("fail") == {"settings.valid": "settings_invalid"}
    assert examined.code == 2


async def test_the_json_has_no_names_of_the_installation_and_no_secrets(
    install: Install,
) -> None:
    named = ("localhost", "manager", "CANARY_DB", "canary-host")
    async with install(company="CANARY_DB") as installation:
        installation.environ["SL_URL"] = installation.sim.url.replace("127.0.0.1", "localhost")
        installation.environ["SL_COMPANY_DB"] = "CANARY_DB"
        provider = {
            "U_Url": "http://127.0.0.1:9/canary-host",
            "U_Usuario": "canary-dte",
            "U_Clave": "canary-7a1",
        }
        Desk(installation.sim.world).change("U_DTE_CONFC", "1", provider)
        _, out, err = await installation.run("--json", *AS_MANAGER)
        _, table, _ = await installation.run(*AS_MANAGER)
    assert all(name in table for name in named[:3])
    assert not any(name in out for name in named)
    for secret in ("erpsim", "canary-7a1", "canary-dte"):
        assert secret not in out + err + table

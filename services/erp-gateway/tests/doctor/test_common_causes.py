"""One cause that shows in several checks: each points to the first, and what was seen tells which it is."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
from installation import Examined, Installation
from planting import trusting

from erpsim.process.certificates import self_signed
from erpsim.simulator import Listening

pytestmark = pytest.mark.asyncio

Install = Callable[..., AbstractAsyncContextManager[Installation]]

AUTHORITY = "erpsim"
"""The name in every certificate of the simulator."""


def told(examined: Examined, name: str) -> dict[str, Any]:
    """Return what the JSON tells of a check."""
    return next(each for each in examined.report["checks"] if each["name"] == name)


@asynccontextmanager
async def trusting_the_former_authority(install: Install) -> AsyncIterator[Installation]:
    """Trust an authority that has the right name and another key, for the ERP and for its reports."""
    async with install(listening=Listening(tls=True, report_gateway_port=0)) as installation:
        trusting(installation)
        former = self_signed("localhost", installation.clock)
        file = installation.folder / "ca.pem"
        file.write_bytes(former.certificate_pem)
        installation.connect_reports()
        installation.environ["APIGATEWAY_CA_FILE"] = str(file)
        yield installation


async def test_failures_of_one_ca_file_point_to_the_first_failed_check(
    install: Install,
) -> None:
    async with trusting_the_former_authority(install) as installation:
        examined = await installation.examine()
        _, table, _ = await installation.run()
        apart = await installation.examine("--only", "report-gateway")
    assert examined.found("fail") == {
        "network.tls": "certificate_authority_unknown",
        "report-gateway.login": "report_gateway_away",
    }
    assert told(examined, "report-gateway.login")["suspects"] == ["network.tls"]
    assert "Quizá por: network.tls, que también falla" in table
    assert table.count(str(installation.folder / "ca.pem")) >= 2
    assert told(apart, "report-gateway.login")["suspects"] == [], "network.tls was not looked at"


@pytest.mark.parametrize(
    ("setting", "value", "cause"),
    [
        ("ERP_SL_MAX_CONCURRENCY", "many", {"settings.valid": "settings_invalid"}),
        ("EXTENSIONS", "there_is_no_such_module", {"settings.extensions": "extension_refused"}),
    ],
)
async def test_invalid_settings_are_reported_for_every_requested_group(
    install: Install, setting: str, value: str, cause: dict[str, str]
) -> None:
    async with install() as installation:
        installation.environ[setting] = value
        examined = await installation.examine("--only", "network")
    assert examined.found("fail") == cause
    assert examined.code == 2


async def test_another_file_or_another_fault_points_nowhere(install: Install) -> None:
    async with trusting_the_former_authority(install) as installation:
        other = installation.folder / "other.pem"
        other.write_bytes((installation.folder / "ca.pem").read_bytes())
        installation.environ["APIGATEWAY_CA_FILE"] = str(other)
        of_another_file = await installation.examine()
        certificate = installation.sim.certificate
        assert certificate is not None
        other.write_bytes(certificate.certificate_pem)
        installation.environ["APIGATEWAY_PASSWORD"] = "wrong"
        refused = await installation.examine()
    assert told(of_another_file, "report-gateway.login")["cause"] == "report_gateway_away"
    assert told(of_another_file, "report-gateway.login")["suspects"] == []
    assert told(refused, "report-gateway.login")["cause"] == "report_login_refused"
    assert told(refused, "report-gateway.login")["suspects"] == []


async def test_an_unknown_certificate_without_own_authorities_names_their_folder(install: Install) -> None:
    async with install(listening=Listening(tls=True)) as installation:
        _, table, _ = await installation.run("--only", "network")
    assert "no se indicó ninguna autoridad propia" in table
    assert "carpeta de autoridades (ERP_CA_FOLDER)" in table


async def test_the_terminal_shows_an_untrusted_certificate_and_the_authorities_of_the_file(
    install: Install,
) -> None:
    async with trusting_the_former_authority(install) as installation:
        _, table, _ = await installation.run("--only", "network")
        _, out, _ = await installation.run("--only", "network", "--json")
        examined = await installation.examine("--only", "network")
    (line,) = (each for each in table.splitlines() if "network.tls  " in each and "falla" in each)
    assert f"emitido por «{AUTHORITY}»" in line
    assert f"el archivo tiene «{AUTHORITY}» hasta " in line
    assert "mismo nombre y otra clave" in line
    prints = [part.split(" ")[0] for part in line.split("SHA-256 ")[1:]]
    assert len(set(prints)) == 2
    assert told(examined, "network.tls")["figures"] == {"authorities": 1, "same_name": True}
    assert AUTHORITY not in out
    assert not any(each in out for each in prints)

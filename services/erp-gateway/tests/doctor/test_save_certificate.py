"""A Service Layer with its own certificate: saved by the doctor, trusted from the folder."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from installation import Installation

from erpsim.simulator import Listening

pytestmark = pytest.mark.asyncio

Install = Callable[..., AbstractAsyncContextManager[Installation]]
TLS = Listening(tls=True, report_gateway_port=0)


async def test_the_saved_certificates_make_erp_and_reports_trusted(install: Install) -> None:
    async with install(listening=TLS) as installation:
        folder = installation.folder / "authorities"
        folder.mkdir()
        installation.environ["ERP_CA_FOLDER"] = str(folder)
        installation.connect_reports()
        before = await installation.examine("--only", "network", "--only", "report-gateway")
        assert before.found("fail")["network.tls"] == "certificate_authority_unknown"
        code, out, err = await installation.run("--save-certificate", str(folder / "erp.pem"))
        assert (code, out) == (0, "")
        assert err.count("SHA-256: ") == 2, "of the Service Layer and of the report gateway"
        after = await installation.examine("--only", "network", "--only", "report-gateway")
    assert after.found("fail") == {}


async def test_settings_with_other_faults_do_not_prevent_it(install: Install) -> None:
    async with install(listening=TLS) as installation:
        installation.environ |= {"PORT": "many", "ERP_SL_CA_FILE": "/nowhere/erp.pem", "LANG": "en_US.UTF-8"}
        del installation.environ["ERP_SL_PASSWORD"]
        code, out, err = await installation.run("--save-certificate", "-")
        assert installation.sim.calls.of("POST", "Login") == []
    assert (code, out.startswith("-----BEGIN CERTIFICATE-----")) == (0, True)
    assert "Issued by: itself" in err


async def test_without_an_address_it_says_which_setting_is_missing(install: Install) -> None:
    async with install() as installation:
        del installation.environ["ERP_SL_URL"]
        code, out, err = await installation.run("--save-certificate", "-")
    assert (code, out) == (1, "")
    assert err == "error: No hay ninguna dirección https configurada; revise ERP_SL_URL.\n"

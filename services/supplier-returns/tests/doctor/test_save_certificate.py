"""A Service Layer with its own certificate: the doctor saves it, and the folder makes it trusted."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from returns_installation import Installation

from erpsim.simulator import Listening

pytestmark = pytest.mark.asyncio

Install = Callable[..., AbstractAsyncContextManager[Installation]]


async def test_the_erp_is_trusted_after_its_certificate_is_saved(install: Install) -> None:
    async with install(listening=Listening(tls=True)) as installation:
        folder = installation.folder / "authorities"
        folder.mkdir()
        installation.environ["ERP_CA_FOLDER"] = str(folder)
        before = await installation.examine("--only", "network")
        assert before.found("fail") == {"network.tls": "certificate_authority_unknown"}
        code, out, err = await installation.run("--save-certificate", str(folder / "erp.pem"))
        assert (code, out, err.count("SHA-256: ")) == (0, "", 1)
        after = await installation.examine("--only", "network")
    assert after.found("fail") == {}

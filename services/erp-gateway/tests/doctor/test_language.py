"""The doctor's table by `LANG`: English for `en*`, else Spanish; the JSON is the same in both."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from installation import Installation

pytestmark = pytest.mark.asyncio

Install = Callable[..., AbstractAsyncContextManager[Installation]]


async def test_lang_changes_the_table_and_neither_the_json_nor_the_codes(install: Install) -> None:
    async with install() as installation:
        installation.environ["ERP_SL_URL"] = "http://127.0.0.1:9/b1s/v2"
        tables, reports, progress = {}, {}, {}
        for lang in ("en_US.UTF-8", "es_CL.UTF-8", "C.UTF-8"):
            installation.environ["LANG"] = lang
            _, tables[lang], progress[lang] = await installation.run("--only", "network")
            examined = await installation.examine("--only", "network")
            reports[lang] = [
                {name: each[name] for name in ("name", "cause", "text", "mend")}
                for each in examined.report["checks"]
            ]
    assert reports["en_US.UTF-8"] == reports["es_CL.UTF-8"] == reports["C.UTF-8"]
    english, spanish = tables["en_US.UTF-8"], tables["es_CL.UTF-8"]
    assert "(connection_refused)" in english
    assert "(connection_refused)" in spanish
    assert "network.port · Puerto" in progress["C.UTF-8"]
    assert progress["en_US.UTF-8"].splitlines()[-1].endswith("network.latency")
    assert "To correct, in this order:" in english
    assert "Correct the port of the configured address" in english
    assert "Por corregir, en este orden:" in spanish
    assert "Corrija el puerto" in tables["C.UTF-8"]

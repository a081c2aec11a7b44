"""What the doctor shows of a browser that prints nothing."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from installation import Installation
from planting import fake_browser

pytestmark = pytest.mark.asyncio

Install = Callable[..., AbstractAsyncContextManager[Installation]]


async def test_the_terminal_shows_the_browsers_last_words_and_the_json_does_not(install: Install) -> None:
    async with install() as installation:
        fake_browser("echo 'No usable sandbox! in /srv/secret' >&2; exit 1")(installation)
        _, table, _ = await installation.run("--only", "printing")
        examined = await installation.examine("--only", "printing")
    assert "No usable sandbox! in /srv/secret" in table
    assert examined.found("fail") == {"printing.page": "page_not_printed"}
    assert "secret" not in str(examined.report)

"""ERP calls of each page of the console, compared with docs/console.md."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from stack.company import ERP_PASSWORD, ERP_USER
from stack.exchange import Answer
from tools.browser.people import open_page, resolve, sign_in
from tools.browser.scenery import Scenery
from tools.packages import ROOT

Ask = Callable[..., Answer]
DOCUMENTATION = ROOT / "docs/console.md"
ROUTES = ROOT / "deploy/console/modules/routes.js"
PING = "ping/"


def patterns() -> list[str]:
    """Return the path of every page, in the order in which the console looks for one."""
    return [f"/{each}" for each in re.findall(r'^  \["(.*?)", ', ROUTES.read_text("utf-8"), re.MULTILINE)]


def pattern_of(path: str) -> str | None:
    """Return which of the pages a path leads to."""
    ways = ((each, re.sub(r":\w+", "[^/]+", each)) for each in patterns())
    return next((each for each, way in ways if re.fullmatch(way, path)), None)


def told() -> dict[str, int]:
    """Return what the documentation says, by path."""
    rows = re.findall(r"^\| .*?(`/.*?) \| ([0-9]+)", DOCUMENTATION.read_text("utf-8"), re.MULTILINE)
    return {path: int(calls) for cell, calls in rows for path in re.findall(r"`(/[^`]*)`", cell)}


@pytest.mark.timeout(900)  # twenty pages, twice; 40 s on a quiet machine
def test_each_page_makes_the_documented_number_of_erp_calls(
    page: Page, control: Ask, scenery: Scenery
) -> None:
    open_page(page)
    sign_in(page, "gateway", "ana", "ana-demo")
    sign_in(page, "returns", ERP_USER, ERP_PASSWORD)  # to superusers all is shown
    found = {}
    for path in scenery.pages().values():
        for _ in range(2):  # what both services keep is there the second time
            control("DELETE", "/calls")
            open_page(page, path)
            resolve(page)
            page.wait_for_load_state("networkidle")
        calls = [call["path"] for call in control("GET", "/calls").body["calls"] if call["path"] != PING]
        found[pattern_of(path)] = len(calls)
    assert found.pop(None) == 0, "an address that leads nowhere"
    assert set(found) == set(patterns())
    assert found == told()

"""Debian's headless browser, driven by Playwright. Nothing is downloaded."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, sync_playwright
from stack.modules import has_sandbox

from erp_gateway.reports.html.printing.browser import find_browser

_ARGUMENTS = (
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)
WIDE = 1440
PHONE = 390
NARROW = 320
_HEIGHTS = {WIDE: 900, PHONE: 844, NARROW: 568}


class NoBrowserError(RuntimeError):
    """No headless browser is installed. `make setup` installs one if the system offers it."""


@contextmanager
def launched() -> Iterator[Browser]:
    """Run the browser until the block is left.

    Raises:
        NoBrowserError: there is none on this machine.
    """
    program = find_browser(None, os.environ)
    if program is None:
        raise NoBrowserError("no headless browser was found: run `make setup`, or name one in BROWSER_BIN")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(program),
            headless=True,
            chromium_sandbox=has_sandbox(program),
            args=list(_ARGUMENTS),
        )
        try:
            yield browser
        finally:
            browser.close()


def open_context(
    browser: Browser, origin: str, *, width: int = WIDE, dark: bool = False, zone: str = "America/Santiago"
) -> BrowserContext:
    """Return a fresh profile of a person in Chile or another zone; `origin` may use the clipboard."""
    context = browser.new_context(
        base_url=origin,
        viewport={"width": width, "height": _HEIGHTS[width]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        locale="es-CL",
        timezone_id=zone,
        accept_downloads=True,
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
    context.set_default_timeout(30_000)
    return context

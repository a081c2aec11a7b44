"""Measure how the console starts on a slow line and on a slow processor: `python -m tools.browser.startup`.

It starts the local stack twice, with the modules themselves and with the bundle, and prints one table.
The line has 400 ms latency and 50 KB/s in each direction. Tasks are the work of the page's main thread at a
quarter of the processor's speed; other load on the machine lengthens seconds, but not tasks.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page
from stack import nginx
from stack.addresses import any_addresses
from stack.processes import LOOPBACK
from stack.stack import local_stack

from tools.browser.launching import launched, open_context
from tools.browser.people import CONSOLE, open_page, sign_in
from tools.browser.tracing import Trace, traced

LATENCY_MS = 400
BYTES_A_SECOND = 50 * 1024
SLOWDOWN = 4
# Number of measurements; the median is printed.
_TIMES = 3
_PAGES = {"sign-in": "/", "first page, signed in": "/", "orders, signed in": "/erp/Orders"}
_READY = "main h1"


@frozen
class Start:
    """One start of the console.

    Attributes:
        seconds: time until the page is complete.
        requests: number of requests, without data of other pages.
        wire_bytes: received bytes, with headers and compressed bodies.
    """

    seconds: float
    requests: int
    wire_bytes: int


@contextmanager
def _slow_line(context: BrowserContext, page: Page) -> Iterator[list[int]]:
    """Slow a page's connection down; the list receives the size of each response."""
    session: CDPSession = context.new_cdp_session(page)
    sizes: list[int] = []
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": LATENCY_MS,
            "downloadThroughput": BYTES_A_SECOND,
            "uploadThroughput": BYTES_A_SECOND,
        },
    )
    session.on("Network.loadingFinished", lambda event: sizes.append(int(event["encodedDataLength"])))
    try:
        yield sizes
    finally:
        session.detach()


def _start(context: BrowserContext, page: Page, path: str) -> Start:
    page.goto("about:blank")
    with _slow_line(context, page) as sizes:
        began = time.perf_counter()
        page.goto(f"{CONSOLE}#{path}", wait_until="commit")
        page.locator(_READY).wait_for(state="attached")
        page.wait_for_function("() => !document.querySelector('.waiting')")
        seconds = time.perf_counter() - began
        page.wait_for_load_state("networkidle")
        received = [size for size in sizes if size > 0]
        return Start(seconds, len(received), sum(received))


def _middle(starts: list[Start]) -> Start:
    return sorted(starts, key=lambda each: each.seconds)[len(starts) // 2]


def _profile(browser: Browser, origin: str, *, signed_in: bool) -> tuple[BrowserContext, Page]:
    context = open_context(browser, origin)
    page = context.new_page()
    if signed_in:
        open_page(page)
        sign_in(page, "gateway", "ana", "ana-demo")
    return context, page


def _cold(browser: Browser, origin: str, path: str, *, signed_in: bool) -> Start:
    context, page = _profile(browser, origin, signed_in=signed_in)
    context.new_cdp_session(page).send("Network.clearBrowserCache")
    found = _start(context, page, path)
    context.close()
    return found


def _warm(browser: Browser, origin: str, path: str, *, signed_in: bool) -> Start:
    context, page = _profile(browser, origin, signed_in=signed_in)
    open_page(page, path)
    page.wait_for_load_state("networkidle")
    found = _start(context, page, path)
    context.close()
    return found


def _longest_task(browser: Browser, origin: str, path: str, *, signed_in: bool) -> float:
    context, page = _profile(browser, origin, signed_in=signed_in)
    page.goto("about:blank")
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    observed: Trace
    with traced(browser, page) as observed:
        page.goto(f"{CONSOLE}#{path}")
        page.locator(_READY).wait_for(state="attached")
        page.wait_for_load_state("networkidle")
    context.close()
    return observed.tasks[0].cpu_ms


def _measure(browser: Browser, served: str) -> None:
    nginx.CONSOLE = nginx.DEPLOY / "console" / ("" if served == "modules" else "dist")
    ports = any_addresses()
    settings = {"ADMIN_WEB_USERS": "ana"}
    with (
        tempfile.TemporaryDirectory() as folder,
        local_stack(Path(folder), addresses=ports, gateway_settings=settings),
    ):
        origin = f"http://{LOOPBACK}:{ports.origin}"
        for name, path in _PAGES.items():
            signed_in = name != "sign-in"
            cold = _middle([_cold(browser, origin, path, signed_in=signed_in) for _ in range(_TIMES)])
            warm = _middle([_warm(browser, origin, path, signed_in=signed_in) for _ in range(_TIMES)])
            task = min(_longest_task(browser, origin, path, signed_in=signed_in) for _ in range(_TIMES))
            cells = (served, name, *_cells(cold), *_cells(warm), f"{task:.0f}")
            print(f"| {' | '.join(cells)} |", flush=True)


def _cells(start: Start) -> tuple[str, str, str]:
    return f"{start.seconds:.1f}", str(start.requests), f"{start.wire_bytes / 1024:.0f}"


def main() -> int:
    """Measure both and print the table."""
    print("| Served | Page | Cold, s | Requests | KB | Warm, s | Requests | KB | Longest task, ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    with launched() as browser:
        for served in ("modules", "bundle"):
            _measure(browser, served)
    return 0


if __name__ == "__main__":
    sys.exit(main())

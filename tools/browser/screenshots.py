"""Draw the pages of the console at three widths (`make screenshots`), or only the README's picture.

Run as: python -m tools.browser.screenshots [--readme | FOLDER]

Fails if text overlaps or is cut off, or a page is wider than the screen.
"""

import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from demo import modules
from demo.tour import PASSWORDS
from PIL import Image
from playwright.sync_api import Browser, Page
from stack.addresses import any_addresses
from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import exchange
from stack.processes import LOOPBACK, leave_on_signals
from stack.stack import local_stack

from tools.browser.fitting import misfits
from tools.browser.launching import NARROW, PHONE, WIDE, launched, open_context
from tools.browser.people import open_all, open_page, resolve, sign_in
from tools.browser.scenery import ADMINISTRATOR, Scenery, build
from tools.packages import ROOT

FOLDER = ROOT / "build/screenshots"
PICTURE = ROOT / "docs/console.webp"
"""Part of the page in the README's picture: a planning."""


def main() -> int:
    """Start everything, draw, print the folder and the layout problems; return 1 if there are any."""
    leave_on_signals()
    if sys.argv[1:] == ["--readme"]:
        with running() as (browser, origin, scenery):
            draw_readme(browser, origin, scenery)
        print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")
        return 0
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with running() as (browser, origin, scenery):
        faults = [
            fault
            for width in (WIDE, PHONE, NARROW)
            for dark in (False, True)
            for fault in draw_all(browser, origin, scenery, folder, width, dark=dark)
        ]
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


@contextmanager
def running() -> Iterator[tuple[Browser, str, Scenery]]:
    """Run the stack and a browser; yield it, the origin, and the test data."""
    with tempfile.TemporaryDirectory(prefix="erp-pictures-") as scratch:
        settings = {"ADMIN_WEB_USERS": "ana,carmen", **modules.EXTENSION_SETTINGS}
        settings |= modules.database_settings(Path(scratch))
        addresses = any_addresses()
        with local_stack(Path(scratch), addresses=addresses, gateway_settings=settings):
            ask, erp = partial(exchange, addresses.origin), partial(exchange, addresses.erpsim)
            scenery = build(ask, erp, program=("carmen", "carmen-demo"))
            with launched() as browser:
                yield browser, f"http://{LOOPBACK}:{addresses.origin}", scenery


def draw_readme(browser: Browser, origin: str, scenery: Scenery) -> None:
    """Draw the README's picture at the smallest readable size."""
    context = open_context(browser, origin, width=WIDE)
    page = context.new_page()
    open_page(page)
    resolve(page)
    sign_in(page, "gateway", ADMINISTRATOR, PASSWORDS[ADMINISTRATOR])
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    open_page(page, scenery.pages()["planificacion"])
    resolve(page)
    drawn = Image.open(io.BytesIO(page.screenshot()))
    drawn.convert("RGB").save(PICTURE, quality=80, method=6)
    context.close()


def draw_all(
    browser: Browser, origin: str, scenery: Scenery, folder: Path, width: int, *, dark: bool
) -> list[str]:
    """Draw the sign-in page, then each page as an administrator of both services.

    Returns:
        layout problems, each with its picture's name.
    """
    context = open_context(browser, origin, width=width, dark=dark)
    page = context.new_page()
    ending = f"{width}-{'dark' if dark else 'light'}.png"
    open_page(page)
    faults = draw(page, folder / f"entrar-{ending}")
    sign_in(page, "gateway", ADMINISTRATOR, PASSWORDS[ADMINISTRATOR])
    sign_in(page, "returns", WAREHOUSE_USER, ERP_PASSWORD)
    for name, path in scenery.pages().items():
        open_page(page, path)
        faults += draw(page, folder / f"{name}-{ending}")
        faults += draw_opened(page, folder / f"{name}-abierta-{ending}")
        if width == WIDE and not dark:
            draw_printed(page, folder / f"{name}-impresa.png")
    faults += draw_results(page, folder, ending)
    context.close()
    return faults


def draw_opened(page: Page, picture: Path) -> list[str]:
    """Draw the page with every section open, if it has any that was closed."""
    return draw(page, picture) if open_all(page) else []


def draw_printed(page: Page, picture: Path) -> None:
    """Draw the page as it is printed."""
    page.emulate_media(media="print")
    page.screenshot(path=picture, full_page=True)
    page.emulate_media(media="screen")


def draw_results(page: Page, folder: Path, ending: str) -> list[str]:
    """Draw what a query with a chart and one with many rows result in."""
    open_page(page, "/informes/consulta/ventas_por_mes_y_cliente")
    page.get_by_label("Desde").fill("2025-01-01")
    page.get_by_role("button", name="Consultar").click()
    page.get_by_role("img", name="Neto por").wait_for()
    faults = draw(page, folder / f"consulta-grafico-{ending}")
    open_page(page, "/informes/consulta/stock_por_bodega")
    page.get_by_role("combobox", name="Bodega").select_option("01")
    page.get_by_role("button", name="Consultar").click()
    page.get_by_role("table", name="Resultado").wait_for()
    return faults + draw(page, folder / f"consulta-filas-{ending}")


def draw(page: Page, picture: Path) -> list[str]:
    """Draw the loaded page; return its layout problems with the picture's name."""
    resolve(page)
    page.screenshot(path=picture, full_page=True)
    return [f"{picture.name}: {each}" for each in misfits(page)]


if __name__ == "__main__":
    sys.exit(main())

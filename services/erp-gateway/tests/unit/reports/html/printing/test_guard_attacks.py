"""Hostile documents: nothing is fetched, no file is read, no script runs, and the job ends.

Reports are templates of the installation, and everything in them is escaped; this is the second wall, for the
day when a template lets something through.
"""

import io
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pikepdf
import pypdfium2  # type: ignore[import-untyped]  # it has no types
import pytest

from erp_gateway.reports.html.errors import PdfTimeout
from erp_gateway.reports.html.printing.browser import BrowserEngine
from erp_gateway.reports.html.printing.engine import PDF_NAME, PdfEngine
from erp_gateway.reports.html.printing.guard import guarded
from erp_gateway.reports.html.printing.printer import PdfPrinter

if TYPE_CHECKING:
    from tests.unit.reports.html.conftest import Canary

pytestmark = pytest.mark.check

EMBEDDED = """
<iframe src="{file}"></iframe><iframe src="{url}/frame"></iframe>
<iframe srcdoc="<meta http-equiv=refresh content='0;url={url}/srcdoc'><iframe src={file}></iframe>"></iframe>
<object data="{file}" type="text/plain"></object><object data="{url}/object"></object>
<embed src="{file}" type="text/plain"><embed src="{url}/embed">
<img src="{file}"><img src="{url}/img" srcset="{url}/srcset 2x">
<picture><source srcset="{url}/source"></picture>
<video src="{url}/video" poster="{url}/poster" autoplay></video><audio src="{url}/audio" autoplay></audio>
<input type="image" src="{url}/input"><form action="{url}/form" method="post"><input autofocus></form>
<table background="{url}/table"><tr><td background="{url}/td">x</td></tr></table>
<svg><use href="{url}/use#x"/><use xlink:href="{file}#x"/><image href="{url}/image" width="9" height="9"/>
<image xlink:href="{file}" width="9" height="9"/><script href="{url}/svg-script"/>
<foreignObject width="9" height="9">
<iframe xmlns="http://www.w3.org/1999/xhtml" src="{file}"/></foreignObject>
<filter id="f"><feImage href="{url}/feimage"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>
<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='{url}/nested'/></svg>">
"""
LINKED = """
<base href="{url}/base/"><link rel="stylesheet" href="{url}/css"><link rel="stylesheet" href="{file}">
<link rel="attachment" href="{file}"><link rel="attachment" href="{url}/attachment">
<link rel="icon" href="{url}/i">
<link rel="prefetch" href="{url}/prefetch"><link rel="preload" as="image" href="{url}/preload">
<link rel="prerender" href="{url}/prerender"><link rel="preconnect" href="{url}">
<link rel="manifest" href="{url}/m">
<link rel="dns-prefetch" href="{url}"><link rel="import" href="{url}/import">
<a rel="attachment" href="{file}">x</a>
<img src="relative"><a href="{url}/ping" ping="{url}/ping">x</a>
"""
STYLED = """
<style>@import "{url}/import"; @import url("{file}"); @font-face {{ font-family: f; src: url("{url}/font") }}
body {{ background: url("{url}/background"); font-family: f; cursor: url("{url}/cursor"), auto }}
p::before {{ content: url("{url}/content") }} p::after {{ content: url("{file}") }}
li {{ list-style-image: url("{url}/list") }} @page {{ background: url("{url}/page") }}
p {{ border-image: url("{url}/border") 9; mask: url("{url}/mask"); -weasy-x: attr(x url) }}</style>
<p style="background: url({url}/inline)">x</p><ul><li>x</li></ul>
"""
SCRIPTED = """
<script>for (const each of ["{url}/fetch", "{file}"])
  {{ fetch(each).then(answer => answer.text()).then(text => document.write(text)) }}
new WebSocket("{url}/socket".replace("http", "ws")); navigator.sendBeacon("{url}/beacon");
document.write("SCRIPT" + "RAN"); location = "{file}"</script><script src="{url}/script"></script>
<body onload="document.body.append('SCRIPT' + 'RAN')"><img src="x" onerror="document.write('SCRIPT' + 'RAN')">
<svg onload="document.write('SCRIPT' + 'RAN')"></svg>
<iframe src="javascript:parent.document.write('SCRIPT'+'RAN')">
"""
DOCUMENTS = {
    "embedded": EMBEDDED,
    "linked": LINKED,
    "styled": STYLED,
    "scripted": SCRIPTED,
    "refresh to a file": '<meta http-equiv="refresh" content="0;url={file}">' + EMBEDDED,
    "refresh to the network": '<meta http-equiv="refresh" content="0;url={url}/refresh">' + EMBEDDED,
    "refresh in a frame": "<iframe srcdoc=\"<meta http-equiv=refresh content='0;url={file}'>\"></iframe>" * 3,
    "before the head": "<!-- <head> -->"
    + EMBEDDED
    + "<head><meta http-equiv=Content-Security-Policy content=''>",
    "a closed comment": "--><!--" + EMBEDDED + LINKED + "-->" + EMBEDDED,
    "an end of the archive": "\r\n----\r\nContent-Type: text/html\r\n\r\n" + EMBEDDED,
    "script that loops": "<script>while (true) {{}}</script><p>x</p>" + STYLED,
    "all at once": STYLED + LINKED + EMBEDDED + SCRIPTED,
}


def fill(attack: str, canary: "Canary") -> str:
    """Return the document with the canary's addresses."""
    return f"<p>PRINTED</p>{attack.format(url=canary.url, file=canary.file.as_uri())}"


def unpacked(stream: pikepdf.Stream) -> bytes:
    """Return what a stream holds; a photograph as it is."""
    try:
        return stream.read_bytes()
    except pikepdf.PdfError:
        return stream.read_raw_bytes()


def everything_in(pdf: bytes) -> bytes:
    """Return the texts of the pages, and all streams, unpacked: attachments, pictures and fonts too."""
    with pypdfium2.PdfDocument(pdf) as document:
        texts = [page.get_textpage().get_text_range() for page in document]
    with pikepdf.Pdf.open(io.BytesIO(pdf)) as opened:
        streams = [unpacked(each) for each in opened.objects if isinstance(each, pikepdf.Stream)]
    return b"\n".join([*(text.encode() for text in texts), *streams])


@pytest.mark.asyncio
@pytest.mark.parametrize("attack", DOCUMENTS.values(), ids=DOCUMENTS)
async def test_no_resource_is_fetched_and_no_file_is_read(
    printer: PdfPrinter, canary: "Canary", attack: str
) -> None:
    started = time.monotonic()
    found = everything_in(await printer.print(guarded(fill(attack, canary)), user="ana"))
    assert time.monotonic() - started < 60
    assert canary.connections == 0
    assert canary.WORD.encode() not in found
    assert b"SCRIPTRAN" not in found
    assert b"PRINTED" in found


@pytest.mark.asyncio
async def test_a_printed_link_is_an_address_and_runs_nothing(printer: PdfPrinter, canary: "Canary") -> None:
    addresses = (
        "javascript:app.alert(1)",
        "data:text/html,<script>1</script>",
        canary.file.as_uri(),
        canary.url,
    )
    links = "".join(f'<p><a href="{address}">x</a></p>' for address in addresses)
    with pikepdf.Pdf.open(io.BytesIO(await printer.print(guarded(links), user="ana"))) as pdf:
        actions = [note.A for page in pdf.pages for note in page.get("/Annots", ()) if "/A" in note]
        assert actions
        assert {str(action.S) for action in actions} == {"/URI"}
        assert {"/OpenAction", "/AA"}.isdisjoint(pdf.Root.keys())
        assert {"/JavaScript", "/EmbeddedFiles"}.isdisjoint(pdf.Root.get("/Names", {}).keys())


@pytest.mark.asyncio
async def test_a_huge_table_ends_within_the_limit(
    make_engine: Callable[[str], PdfEngine], make_printer: Callable[..., PdfPrinter]
) -> None:
    rows = "<tr>" + "<td>celda</td>" * 7 + "</tr>"
    for name in ("browser", "weasyprint"):
        started = time.monotonic()
        with pytest.raises(PdfTimeout):
            await make_printer(make_engine(name), timeout_s=1.5).print(
                guarded(f"<table>{rows * 60_000}</table>"), user="ana"
            )
        assert time.monotonic() - started < 30


class UnguardedWeasyPrint:
    """WeasyPrint as its introduction shows it."""

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document as it is."""
        document = folder / "document.html"
        document.write_text(html)
        program = f"import weasyprint; weasyprint.HTML({str(document)!r}).write_pdf({PDF_NAME!r})"
        return [sys.executable, "-c", program]


class UnguardedBrowser:
    """A browser as anybody would start it: the document as a file, and no switch that forbids anything."""

    def __init__(self, guarded_engine: BrowserEngine) -> None:
        self._browser = str(guarded_engine.find())

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document as it is."""
        document = folder / "document.html"
        document.write_text(html)
        return [
            *(self._browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *(f"--user-data-dir={folder / 'p'}", f"--print-to-pdf={folder / PDF_NAME}", document.as_uri()),
        ]


@pytest.mark.asyncio
async def test_the_same_documents_do_harm_in_a_browser_without_guards(
    make_engine: Callable[[str], PdfEngine], make_printer: Callable[..., PdfPrinter], canary: "Canary"
) -> None:
    engine = make_engine("browser")
    assert isinstance(engine, BrowserEngine)
    printer = make_printer(UnguardedBrowser(engine))
    found = everything_in(await printer.print(fill(EMBEDDED + STYLED, canary), user="ana"))
    assert canary.WORD.encode() in found
    assert canary.connections > 5


@pytest.mark.asyncio
async def test_the_same_documents_do_harm_in_weasyprint_without_guards(
    make_printer: Callable[..., PdfPrinter], canary: "Canary"
) -> None:
    printer = make_printer(UnguardedWeasyPrint())
    found = everything_in(await printer.print(fill(LINKED + STYLED, canary), user="ana"))
    assert canary.WORD.encode() in found
    assert canary.connections > 5

"""Pages of both engines: paper, margins, text. They are compared as pictures."""

import base64
import io
from typing import TYPE_CHECKING

import pikepdf
import PIL.Image
import pypdfium2  # type: ignore[import-untyped]  # it has no types
import pytest

from erp_gateway.reports.html.printing.guard import guarded

if TYPE_CHECKING:
    from erp_gateway.reports.html.printing.printer import PdfPrinter

pytestmark = pytest.mark.check

DPI = 96
MM = DPI / 25.4
"""Pixels to a millimetre."""

PAPERS = {
    "A4": (210.0, 297.0),
    "Letter": (215.9, 279.4),
    "A5 landscape": (210.0, 148.0),
}
TOP, RIGHT, BOTTOM, LEFT = 20.0, 12.0, 25.0, 30.0
ROWS = 120


def report(paper: str) -> str:
    """Return a table of black rows, over several pages."""
    rows = "".join(f"<tr><td>fila {number}</td><td>ñandú € {number}</td></tr>" for number in range(ROWS))
    return guarded(
        f"""<html lang="es"><head><title>Informe</title><style>
        @page {{ size: {paper}; margin: {TOP}mm {RIGHT}mm {BOTTOM}mm {LEFT}mm }}
        body {{ margin: 0; font: 10pt "DejaVu Sans" }}
        table {{ width: 100%; border-collapse: collapse; background: #000; color: #fff }}
        td, th {{ padding: 2mm; border: 1px solid #000 }}
        </style></head><body><table><thead><tr><th>Nombre</th><th>Texto</th></tr></thead>{rows}</table>
        </body></html>"""
    )


def ink(picture: PIL.Image.Image) -> tuple[float, float, float, float]:
    """Return the blank millimetres at the top, right, bottom and left of a page."""
    box = picture.convert("L").point(lambda level: 255 if level < 250 else 0).getbbox()
    assert box is not None, "the page is blank"
    left, top, right, bottom = box
    return top / MM, (picture.width - right) / MM, (picture.height - bottom) / MM, left / MM


def text_of(page: pypdfium2.PdfPage) -> str:
    """Return the page's text without blanks: where they are is the reader's guess, and it may guess badly."""
    return "".join(page.get_textpage().get_text_range().split())


@pytest.mark.asyncio
@pytest.mark.parametrize("paper", PAPERS)
async def test_paper_margins_and_text_are_those_of_the_template(printer: "PdfPrinter", paper: str) -> None:
    with pypdfium2.PdfDocument(await printer.print(report(paper), user="ana")) as pdf:
        width_mm, height_mm = PAPERS[paper]
        assert len(pdf) >= 3
        texts = []
        for number, page in enumerate(pdf):
            assert [side / 72 * 25.4 for side in page.get_size()] == pytest.approx(
                [width_mm, height_mm], abs=0.5
            )
            top, right, bottom, left = ink(page.render(scale=DPI / 72).to_pil())
            assert (top, right, left) == pytest.approx((TOP, RIGHT, LEFT), abs=0.6)
            assert bottom >= BOTTOM - 0.6
            if number < len(pdf) - 1:
                assert bottom < BOTTOM + 15, "the page is not filled"
            texts.append(text_of(page))
    assert all(text.startswith("NombreTexto") for text in texts), "the head of the table repeats"
    rows = "".join(text.removeprefix("NombreTexto") for text in texts)
    assert rows == "".join(f"fila{number}ñandú€{number}" for number in range(ROWS))


A4, TURNED, A5, LETTER = (210, 297), (297, 210), (148, 210), (216, 279)
UNNAMED = {
    "": A4,
    "@page { margin: 10mm }": A4,
    "@page { font-size: 9pt; size: auto }": A4,
    "@page { SIZE : Portrait !important }": A4,
    "@page { margin: 1cm; size: landscape; }": TURNED,
    "@page{size:landscape}": TURNED,
    "@page :first { size: landscape }": TURNED,
    "@page wide { size: landscape } p { page: wide }": TURNED,
    "@page wide { margin: 1cm } p { page: wide }": A4,
    "@media print { @page { size: landscape } }": TURNED,
    "@page { size: A5 }": A5,
    "@page { size: letter }": LETTER,
    "@page :first { size: A5 }": A5,
    "@layer one { @page { size: A5 } }": A5,
}


@pytest.mark.asyncio
@pytest.mark.parametrize("style", UNNAMED)
async def test_a_page_that_names_no_paper_is_a4(printer: "PdfPrinter", style: str) -> None:
    html = guarded(f"<!doctype html><html><head><style>{style}</style></head><body><p>x</p></body></html>")
    with pypdfium2.PdfDocument(await printer.print(html, user="ana")) as pdf:
        assert tuple(round(side / 72 * 25.4) for side in pdf[0].get_size()) == UNNAMED[style]


@pytest.mark.asyncio
async def test_pages_may_differ_and_count_themselves(printer: "PdfPrinter") -> None:
    html = guarded(
        """<style>@page { size: A4; margin: 20mm }
        @page { @bottom-right { content: counter(page) " de " counter(pages) } }
        @page wide { size: A5 landscape } .wide { page: wide; break-before: page }</style>
        <h1>Primera</h1><div class="wide">Segunda</div>"""
    )
    with pypdfium2.PdfDocument(await printer.print(html, user="ana")) as pdf:
        sizes = [tuple(round(side / 72 * 25.4) for side in page.get_size()) for page in pdf]
        texts = [text_of(page) for page in pdf]
    assert sizes == [(210, 297), (210, 148)]
    assert "1de2" in texts[0]
    assert "2de2" in texts[1]


@pytest.mark.asyncio
async def test_charts_and_pictures_inside_the_document_are_printed(printer: "PdfPrinter") -> None:
    png = io.BytesIO()
    PIL.Image.new("RGB", (1, 1), (255, 0, 0)).save(png, "PNG")
    red_pixel = base64.b64encode(png.getvalue()).decode()
    html = guarded(
        f"""<style>@page {{ size: A4; margin: 0 }} body {{ margin: 0 }} * {{ display: block }}</style>
        <svg width="100mm" height="50mm" viewBox="0 0 2 1"><rect width="2" height="1" fill="#00f"/></svg>
        <img style="width: 100mm; height: 50mm" src="data:image/png;base64,{red_pixel}">"""
    )
    with pypdfium2.PdfDocument(await printer.print(html, user="ana")) as pdf:
        picture = pdf[0].render(scale=DPI / 72).to_pil().convert("RGB")
    assert picture.getpixel((round(50 * MM), round(25 * MM))) == (0, 0, 255)
    assert picture.getpixel((round(50 * MM), round(75 * MM))) == (255, 0, 0)


@pytest.mark.asyncio
async def test_a_document_of_any_characters_is_printed(printer: "PdfPrinter") -> None:
    assert (await printer.print(guarded("<p>\x00\ud800 ñ \U0001f600</p>"), user="ana")).startswith(b"%PDF-")


@pytest.mark.asyncio
async def test_an_empty_report_is_a_page(printer: "PdfPrinter") -> None:
    with pypdfium2.PdfDocument(await printer.print(guarded(""), user="ana")) as pdf:
        assert len(pdf) == 1


@pytest.mark.asyncio
async def test_a_pdf_carries_no_tags_which_make_it_many_times_as_large(printer: "PdfPrinter") -> None:
    with pikepdf.Pdf.open(io.BytesIO(await printer.print(guarded(report("A4")), user="ana"))) as pdf:
        assert "/StructTreeRoot" not in pdf.Root

"""Draws a page as a PDF: heading, labelled texts, a table over several pages if needed, totals.

It uses the standard fonts of PDF readers, so files are small and their text can be selected.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from fpdf import FPDF

from erpsim.business.layouts import Paper
from erpsim.report_gateway.pages import Page

_MARGIN_MM: Final = 18.0
_FONT: Final = "helvetica"
_ROW_MM: Final = 6.0
_LABEL_MM: Final = 32.0
_TOTAL_MM: Final = 40.0
_ENCODING: Final = "latin-1"


class _Sheet(FPDF):
    """Paper with the company above and the page's number below."""

    def __init__(self, page: Page, now: datetime) -> None:
        super().__init__(format=page.paper.value)
        self._page = page
        self.set_creation_date(now)
        self.set_title(_drawable(page.title))
        self.set_creator("erpsim")
        self.set_margins(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
        self.set_auto_page_break(auto=True, margin=_MARGIN_MM + _ROW_MM)
        self.alias_nb_pages()

    def header(self) -> None:  # type: ignore[explicit-override] # typing has `override` from 3.12 on
        """Draw the top of every page."""
        self.set_font(_FONT, "", 9)
        self.cell(self.epw, _ROW_MM, _drawable(self._page.company), border="B", new_x="LMARGIN", new_y="NEXT")
        self.ln(_ROW_MM / 2)

    def footer(self) -> None:  # type: ignore[explicit-override] # as above
        """Draw the bottom of every page."""
        self.set_y(-_MARGIN_MM)
        self.set_font(_FONT, "", 8)
        self.cell(self.epw, _ROW_MM, f"Página {self.page_no()} de {{nb}}")


def draw(page: Page, now: datetime, *, attachment: bytes | None = None) -> bytes:
    """Draw a page.

    Args:
        page: the content.
        now: time for the file's own date.
        attachment: a file inside the file.

    Returns:
        the PDF.
    """
    sheet = _Sheet(page, now)
    sheet.add_page()
    sheet.set_font(_FONT, "B", 15)
    sheet.cell(sheet.epw, 10, _drawable(page.title), new_x="LMARGIN", new_y="NEXT")
    for label, text in page.labels:
        sheet.set_font(_FONT, "B", 9)
        sheet.cell(_LABEL_MM, _ROW_MM - 1, _drawable(label))
        sheet.set_font(_FONT, "", 9)
        sheet.cell(0, _ROW_MM - 1, _drawable(text), new_x="LMARGIN", new_y="NEXT")
    sheet.ln(_ROW_MM / 2)
    _draw_table(sheet, page)
    _draw_totals(sheet, page)
    if attachment is not None:
        sheet.embed_file(bytes=attachment, basename="anexo.bin", creation_date=now, modification_date=now)
    return bytes(sheet.output())


def draw_blank(paper: Paper, now: datetime) -> bytes:
    """Draw a PDF of one page with nothing on it."""
    sheet = FPDF(format=paper.value)
    sheet.set_creation_date(now)
    sheet.add_page()
    return bytes(sheet.output())


def _draw_table(sheet: FPDF, page: Page) -> None:
    _draw_headings(sheet, page)
    for row in page.rows:
        if sheet.will_page_break(_ROW_MM):
            sheet.add_page()
            _draw_headings(sheet, page)
        sheet.set_font(_FONT, "", 9)
        _draw_row(sheet, page, row, border="")


def _draw_headings(sheet: FPDF, page: Page) -> None:
    sheet.set_font(_FONT, "B", 9)
    _draw_row(sheet, page, tuple(column.title for column in page.columns), border="B")


def _draw_row(sheet: FPDF, page: Page, texts: tuple[str, ...], *, border: str) -> None:
    for column, text in zip(page.columns, texts, strict=True):
        width = sheet.epw * column.width
        shown = _fitting(sheet, _drawable(text), width - 2 * sheet.c_margin)
        sheet.cell(width, _ROW_MM, shown, align="R" if column.number else "L", border=border)
    sheet.ln(_ROW_MM)


def _draw_totals(sheet: FPDF, page: Page) -> None:
    sheet.ln(_ROW_MM / 2)
    for label, amount in page.totals:
        sheet.set_font(_FONT, "B", 10)
        sheet.cell(sheet.epw - _TOTAL_MM, _ROW_MM, _drawable(label), align="R")
        sheet.cell(_TOTAL_MM, _ROW_MM, _drawable(amount), align="R", new_x="LMARGIN", new_y="NEXT")


def _fitting(sheet: FPDF, text: str, width: float) -> str:
    if sheet.get_string_width(text) <= width:
        return text
    while text and sheet.get_string_width(text + "...") > width:
        text = text[:-1]
    return text + "..."


def _drawable(text: str) -> str:
    return text.encode(_ENCODING, "replace").decode(_ENCODING)

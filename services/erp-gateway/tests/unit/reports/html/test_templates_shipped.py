"""The sheet that ships with the gateway, printed by both engines."""

from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2  # type: ignore[import-untyped]  # it has no types
import pytest

from erp_gateway.reports.html.errors import TemplateError
from erp_gateway.reports.html.issue import Issue
from erp_gateway.reports.html.printing.guard import guarded
from erp_gateway.reports.html.templates import ReportTemplate

if TYPE_CHECKING:
    from erp_gateway.reports.html.printing.printer import PdfPrinter

pytestmark = pytest.mark.check

BODY = """<%inherit file="/gateway/informe.html"/>
<table>
<thead><tr><th>Código</th><th class="numero">Monto</th></tr></thead>
<tbody>
% for number in range(rows):
<tr><td>fila</td><td class="numero">${formato.dinero(number)}</td></tr>
% endfor
<tr class="total"><td>Suma</td><td class="numero">${formato.dinero(1)}</td></tr>
</tbody>
</table>
"""
ISSUE = Issue(titulo="Saldos", emitido_el="22-11-2026 15:30", emitido_por='o"brien</style>{};')


def document(folder: Path, text: str, **names: object) -> str:
    """Return the document of a template."""
    (folder / "report.html").write_text(text, encoding="utf-8")
    return guarded(ReportTemplate(folder, "report.html").render({"informe": ISSUE, **names}))


async def pages_of(printer: "PdfPrinter", html: str) -> list[tuple[tuple[int, int], str]]:
    """Return each page's size in millimetres and its text without blanks."""
    with pypdfium2.PdfDocument(await printer.print(html, user="ana")) as pdf:
        return [
            (
                (round(page.get_width() / 72 * 25.4), round(page.get_height() / 72 * 25.4)),
                "".join(page.get_textpage().get_text_range().split()),
            )
            for page in pdf
        ]


@pytest.mark.asyncio
async def test_every_page_is_a_letter_with_title_period_issue_number_and_headings(
    printer: "PdfPrinter", templates: Path
) -> None:
    pages = await pages_of(printer, document(templates, BODY, rows=70, periodo="Del 01-01 al 31-01"))
    assert len(pages) >= 2
    for number, (size_mm, text) in enumerate(pages, 1):
        assert size_mm == (216, 279)
        for result in (
            "Saldos",
            "Del01-01al31-01",
            'Emitidoel22-11-2026 15:30poro"brien</style>{};'.replace(" ", ""),
            f"Página{number}de{len(pages)}",
            "Código",
        ):
            assert result in text


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("counts", "ends"),
    [
        (range(29, 36), {1, 2}),
        (range(61, 66), {2, 3}),
        pytest.param(range(20, 45), {1, 2}, marks=pytest.mark.proof),
        pytest.param(range(50, 75), {2, 3}, marks=pytest.mark.proof),
    ],
)
async def test_a_total_is_never_alone_on_a_page(
    printer: "PdfPrinter", templates: Path, counts: range, ends: set[int]
) -> None:
    html = [document(templates, BODY, rows=rows) for rows in counts]
    lasts = []
    for each in html:
        pages = await pages_of(printer, each)
        lasts.append(len(pages))
        assert "Suma" in pages[-1][1]
        assert "fila" in pages[-1][1]
    assert set(lasts) == ends, "the table never crosses the end of the page"


@pytest.mark.asyncio
async def test_the_first_page_has_title_and_period_as_a_heading_alone(
    printer: "PdfPrinter", templates: Path
) -> None:
    first, second = await pages_of(printer, document(templates, BODY, rows=50, periodo="Enero"))
    assert (first[1].count("Saldos"), first[1].count("Enero")) == (1, 1)
    assert (second[1].count("Saldos"), second[1].count("Enero")) == (1, 1)
    assert "<h1>Saldos</h1>" in document(templates, BODY, rows=1)
    assert "<h1>Otros</h1>" in document(templates, BODY, rows=1, titulo="Otros")
    own = document(templates, BODY + '<%block name="encabezado">membrete</%block>', rows=1)
    assert "<h1>" not in own


HEADINGS = {
    "a heading over a table": "</table><h2>Grupo</h2><table><thead><tr><th>x</th></tr></thead><tbody>",
    "a group among the rows": '</tbody><tbody><tr class="grupo"><th>Grupo</th></tr>',
}


@pytest.mark.asyncio
@pytest.mark.parametrize("heading", HEADINGS.values(), ids=HEADINGS.keys())
async def test_a_heading_is_not_followed_by_a_single_row_at_a_pages_end(
    printer: "PdfPrinter", templates: Path, heading: str
) -> None:
    under: set[int] = set()
    for rows in range(26, 33):
        body = "<table><tbody>" + "<tr><td>antes</td></tr>" * rows + heading
        body += "<tr><td>fila</td></tr>" * 9 + "</tbody></table>"
        html = document(templates, f'<%inherit file="/gateway/informe.html"/>{body}')
        ((_, first), *_) = await pages_of(printer, html)
        under.add(first.partition("Grupo")[2].count("fila"))
    assert 1 not in under
    assert {0, 2} <= under, "the heading never comes to the end of the page"


@pytest.mark.asyncio
async def test_columns_of_fixed_tables_align_with_any_content(printer: "PdfPrinter", templates: Path) -> None:
    row = (
        '<table class="fija"><tr><td class="codigo">A{}</td><td>{}</td><td class="numero">9</td></tr></table>'
    )
    body = row.format(1, "corto") + row.format(22222, "un texto mucho más largo que el otro")
    html = document(templates, f'<%inherit file="/gateway/informe.html"/>{body}')
    with pypdfium2.PdfDocument(await printer.print(html, user="ana")) as pdf:
        text = pdf[0].get_textpage()
        lefts = []
        for word in ("corto", "un texto"):
            index, _ = text.search(word).get_next()
            lefts.append(round(text.get_charbox(index)[0]))
    assert abs(lefts[0] - lefts[1]) <= 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "size_mm"), [("A4", (210, 297)), ("Carta", (216, 279)), ("${'oficio'}", (216, 330))]
)
async def test_a_block_can_change_the_paper(
    printer: "PdfPrinter", templates: Path, name: str, size_mm: tuple[int, int]
) -> None:
    html = document(templates, BODY + f'<%block name="papel">{name}</%block>', rows=1)
    ((printed_mm, _),) = await pages_of(printer, html)
    assert printed_mm == size_mm


def test_an_invalid_paper_is_refused_with_its_line(templates: Path) -> None:
    with pytest.raises(TemplateError, match=r"report\.html, line 2: the block papel: 'A44' is no paper size"):
        document(templates, '<%inherit file="/gateway/informe.html"/>\n<%block name="papel">A44</%block>')


def test_a_folder_may_have_its_own_sheet_in_place_of_the_shipped_one(templates: Path) -> None:
    (templates / "gateway").mkdir()
    (templates / "gateway" / "informe.html").write_text("<p>propia</p>${next.body()}", encoding="utf-8")
    assert "<p>propia</p>" in document(templates, BODY, rows=1)


def test_only_the_shipped_sheets_can_be_reached(templates: Path) -> None:
    (templates / "report.html").write_text('<%include file="/../templates.py"/>', encoding="utf-8")
    with pytest.raises(TemplateError):
        ReportTemplate(templates, "report.html")


def test_missing_facts_of_an_issue_are_left_out() -> None:
    assert ISSUE.emision.startswith("Emitido el 22-11-2026 15:30 por ")
    assert Issue(emitido_el="22-11-2026 15:30").emision == "Emitido el 22-11-2026 15:30"
    assert Issue(emitido_por="ana").emision == ""

"""Blank PDFs: nothing painted on any page; whatever can't be found out is not blank."""

import io
import sys
from collections.abc import Callable

import pikepdf
import pytest

from servicekit.pdfs.processes import BlankCheck

pytestmark = pytest.mark.asyncio

Draw = Callable[[pikepdf.Pdf, pikepdf.Page], None]


def pdf(*draw: Draw) -> bytes:
    """Return a PDF with a page for each of these."""
    with pikepdf.Pdf.new() as made:
        for each in draw:
            each(made, made.add_blank_page(page_size=(200, 200)))
        written = io.BytesIO()
        made.save(written)
        return written.getvalue()


def content(text: bytes) -> Draw:
    def draw(made: pikepdf.Pdf, page: pikepdf.Page) -> None:
        page.obj.Contents = made.make_stream(text)

    return draw


def image(made: pikepdf.Pdf) -> pikepdf.Object:
    return made.make_stream(
        b"\x00",
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Image,
        Width=1,
        Height=1,
        BitsPerComponent=8,
        ColorSpace=pikepdf.Name.DeviceGray,
    )


def form(made: pikepdf.Pdf, text: bytes, **named: pikepdf.Object) -> pikepdf.Object:
    return made.make_stream(
        text,
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Form,
        BBox=[0, 0, 10, 10],
        Resources=pikepdf.Dictionary(XObject=pikepdf.Dictionary({f"/{n}": o for n, o in named.items()})),
    )


def uses(make: Callable[[pikepdf.Pdf], pikepdf.Object]) -> Draw:
    """Return what draws a page that does nothing but use an object."""

    def draw(made: pikepdf.Pdf, page: pikepdf.Page) -> None:
        page.obj.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary({"/X": make(made)}))
        page.obj.Contents = made.make_stream(b"q /X Do Q")

    return draw


def in_itself(made: pikepdf.Pdf) -> pikepdf.Object:
    outer = form(made, b"/Y Do")
    outer.Resources.XObject["/Y"] = outer
    return outer


def annotated(made: pikepdf.Pdf, page: pikepdf.Page) -> None:
    note = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Stamp,
        Rect=[0, 0, 9, 9],
        AP=pikepdf.Dictionary(N=form(made, b"")),
    )
    page.obj.Annots = made.make_indirect(pikepdf.Array([note]))


NOTHING = [
    content(b""),
    content(b"q 1 0 0 1 5 5 cm 0.5 g 2 w Q"),
    content(b"0 0 100 100 re W n"),
    content(b"BT /F1 12 Tf 10 10 Td () Tj [() -20 ()] TJ T* ET"),
    uses(lambda made: form(made, b"q Q")),
    uses(in_itself),
]
SOMETHING = [
    content(b"BT /F1 12 Tf (x) Tj ET"),
    content(b"BT /F1 12 Tf [() 5 (x)] TJ ET"),
    content(b"BT /F1 12 Tf (x) ' ET"),
    content(b'BT /F1 12 Tf 1 1 (x) " ET'),
    content(b"0 0 100 100 re f"),
    content(b"0 0 m 9 9 l S"),
    content(b"/Sh0 sh"),
    content(b"BI /W 1 /H 1 /BPC 8 /CS /G ID x EI"),
    uses(image),
    uses(lambda made: form(made, b"/Y Do", Y=form(made, b"0 0 1 1 re B*"))),
    uses(lambda made: form(made, b"/Y Do", Y=image(made))),
    annotated,
]


@pytest.mark.parametrize("draw", NOTHING)
async def test_pages_without_painted_content_are_blank(draw: Draw) -> None:
    assert await BlankCheck().is_blank(pdf(draw, content(b""), draw))


@pytest.mark.parametrize("draw", SOMETHING)
async def test_text_images_and_paths_on_any_page_are_something(draw: Draw) -> None:
    assert not await BlankCheck().is_blank(pdf(content(b""), draw, content(b"")))


@pytest.mark.parametrize("broken", [b"", b"<html>no</html>", pdf(content(b""))[:200], pdf()])
async def test_an_incomplete_pdf_does_not_count_as_blank(broken: bytes) -> None:
    assert not await BlankCheck().is_blank(broken)


@pytest.mark.parametrize(
    "script", ["import sys; sys.exit(1)", "print('x')", "import os; os.kill(os.getpid(), 9)"]
)
async def test_a_failed_blank_check_does_not_report_blank(script: str) -> None:
    assert not await BlankCheck(command=(sys.executable, "-c", script)).is_blank(pdf(content(b"")))

"""A PDF as it stands in an answer."""

import base64

import pytest
from tax_service import PDF, encoded

from erpclient.tax_documents.messages import PdfState
from erpclient.tax_documents.pdf_text import read_pdf

WRAPPED = "\r\n".join(encoded(PDF)[start : start + 20] for start in range(0, len(encoded(PDF)), 20))


@pytest.mark.parametrize(
    "value",
    [encoded(PDF), f"\n {WRAPPED}\t", encoded(encoded(PDF).encode()), PDF, encoded(PDF).encode()],
    ids=["base64", "in lines", "base64 of base64", "decoded already", "one layer decoded already"],
)
def test_a_whole_pdf_is_read(value: str | bytes) -> None:
    assert read_pdf(value) == (PdfState.WHOLE, PDF)


@pytest.mark.parametrize("pdf", [b"junk" * 200 + PDF, PDF + b"\x00\r\n " * 2000, PDF + b"x" * 900])
def test_deviations_that_pdf_readers_accept_pass(pdf: bytes) -> None:
    assert read_pdf(encoded(pdf)) == (PdfState.WHOLE, pdf)


@pytest.mark.parametrize(
    ("value", "state"),
    [
        (None, PdfState.ABSENT),
        ("", PdfState.ABSENT),
        (b"", PdfState.ABSENT),
        (" \n", PdfState.ABSENT),
        (encoded(b"\x00\x00"), PdfState.ABSENT),
        ("%PDF-1.4 not encoded", PdfState.BROKEN_BASE64),
        (encoded(PDF)[:-1], PdfState.BROKEN_BASE64),
        (encoded(PDF)[:20] + "ñ" + encoded(PDF)[20:], PdfState.BROKEN_BASE64),
        (encoded(PDF)[:20] + "*" + encoded(PDF)[20:], PdfState.BROKEN_BASE64),
        (encoded(PDF)[:20] + "==" + encoded(PDF)[20:], PdfState.BROKEN_BASE64),
        (encoded(b"<html><h1>Error</h1></html>"), PdfState.NO_PDF),
        (encoded(b"x" * 1100 + PDF), PdfState.NO_PDF),
        (encoded(base64.b64encode(b"<html>")), PdfState.NO_PDF),
        (encoded(PDF[:-10]), PdfState.CUT_OFF),
        (encoded(PDF + b"x" * 1100), PdfState.CUT_OFF),
        (encoded(encoded(PDF[:-10]).encode()), PdfState.CUT_OFF),
    ],
)
def test_each_kind_of_pdf_content_has_its_state(value: str | bytes | None, state: PdfState) -> None:
    assert read_pdf(value) == (state, b"")

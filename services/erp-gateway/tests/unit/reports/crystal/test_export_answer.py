"""Whole PDFs, and what comes in their place."""

import base64
import json

import pytest

from erp_gateway.reports.crystal.disclosure import Disclosure
from erp_gateway.reports.crystal.export_answer import PDF_END_WITHIN, ExportText, read_export
from erp_gateway.reports.crystal.wire import GatewayLogin

SEEN = Disclosure("https://sap.example.com:60000", GatewayLogin("SBO_DEMO", "manager", "hush-hush"))
PDF = b"%PDF-1.4\nhello\n%%EOF\n"
BARE = base64.b64encode(PDF)
LONG = b"%PDF-1.7\n" + b"x" * 500 + b"%%EOF"


def read(body: bytes) -> bytes | ExportText:
    return read_export(body, SEEN)


def test_base64_of_a_pdf_is_a_pdf() -> None:
    assert read(BARE) == PDF
    assert read(b"\r\n" + BARE + b"\n") == PDF


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(base64.b64encode(LONG).decode()).encode(),
        base64.encodebytes(LONG),
        base64.encodebytes(LONG).replace(b"\n", b"\r\n"),
        base64.encodebytes(LONG).replace(b"\n", b"\n  "),
        json.dumps(base64.encodebytes(LONG).decode()).encode(),
        json.dumps(base64.b64encode(LONG).decode()).replace("/", "\\/").encode(),
        b'"' + base64.encodebytes(LONG) + b'"',
    ],
    ids=["quoted", "lines", "crlf", "indented", "quoted lines", "quoted slashes", "raw lines in quotes"],
)
def test_base64_in_quotes_or_lines_is_read(body: bytes) -> None:
    assert read(body) == LONG


@pytest.mark.parametrize(("behind", "whole"), [(0, True), (1019, True), (1020, False), (5000, False)])
def test_a_pdf_is_complete_only_with_its_end_in_the_last_kibibyte(behind: int, whole: bool) -> None:
    pdf = b"%PDF-1.4\n%%EOF" + b"\0" * behind
    found = read(base64.b64encode(pdf))
    assert (PDF_END_WITHIN, found == pdf) == (1024, whole)
    if not whole:
        assert isinstance(found, ExportText)
        assert (found.is_cut, found.is_retryable, found.text) == (True, True, "")
        assert found.log_text == f"a PDF of {len(pdf)} bytes without its end"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"(---)", "(---)"),
        (b'"(---)"', "(---)"),
        (b"An error has occurred", "An error has occurred"),
        (b'"There is no default layout"', "There is no default layout"),
        (b'"No hay \\u00f1and\\u00fa"', "No hay ñandú"),
        (b'"No \\q layout"', ""),
        (b'"', '"'),
        (base64.b64encode(b"<html>"), ""),
        (b"%PDF-1.4 no base64", ""),
        (BARE.replace(b"R", b"R "), "JVBER i0xLjQKaGVsbG8KJSVFT0YK"),
        (b"", ""),
        (b"Unparseable \xff", "Unparseable \ufffd"),
    ],
)
def test_anything_else_is_none(body: bytes, text: str) -> None:
    found = read(body)
    assert isinstance(found, ExportText)
    assert (found.text, found.is_empty, found.is_cut) == (text, text == "(---)", False)
    assert found.is_retryable == found.is_empty


def test_a_sentence_that_decodes_by_chance_is_no_pdf() -> None:
    assert base64.b64decode("An error has occurred in.")  # without validation
    assert isinstance(read(b"An error has occurred in."), ExportText)
    assert isinstance(read(b"Errorcode123"), ExportText)  # strict base64, but of no PDF

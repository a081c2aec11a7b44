"""Names of files: how clients send them, and which ones a folder can hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.records.attachments.errors import AttachmentTypeRefused
from erp_gateway.records.attachments.rules import clean_name, sent_name, with_suffix
from servicekit.errors import InvalidBody

ALLOWED = {"pdf", "txt"}


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("form-data; name=files; filename=b.pdf", "b.pdf"),
        ('form-data; name="files"; filename="b c.pdf"', "b c.pdf"),
        ("FORM-DATA; NAME=files; FILENAME=b.pdf", "b.pdf"),
        ("form-data;name=files;filename=b.pdf", "b.pdf"),
        ("form-data; name=files; filename=b.pdf; filename*=utf-8''c.pdf", "c.pdf"),
        ("form-data; filename*=UTF-8'es'%C3%B1.pdf; filename=b.pdf; name=files", "ñ.pdf"),
        ("form-data; name=files; filename*=iso-8859-1''%F1.pdf", "ñ.pdf"),
        ("form-data; name=files; filename*0=lar; filename*1=go.pdf", "largo.pdf"),
        ('form-data; name="files"; filename="ñandú.pdf"', "ñandú.pdf"),
        ('form-data; name="files"; filename="=?utf-8?B?w7EucGRm?="', "ñ.pdf"),
        ('form-data; name="files"; filename="a;b=c.pdf"', "a;b=c.pdf"),
        (r'form-data; name="files"; filename="a \"b\".pdf"', 'a "b".pdf'),
        ('form-data; name="files"; filename="a %22b%22.pdf"', 'a "b".pdf'),
        (r'form-data; name="files"; filename="C:\Users\ana\i3.pdf"', r"C:\Users\ana\i3.pdf"),
    ],
)
def test_a_name_is_read_in_every_form_that_clients_send(disposition: str, name: str) -> None:
    assert sent_name(disposition.encode()) == name


@pytest.mark.parametrize(
    "disposition",
    [
        b"",
        b"form-data",
        b"form-data; name=files",
        b"form-data; filename=b.pdf",
        b"form-data; name=file; filename=b.pdf",
        b"form-data; name=Files; filename=b.pdf",
        b"form-data; name=other; name=files; filename=b.pdf",
        b"form-data; name=files; filename=a.pdf; filename=b.pdf",
        b"form-data; name*=utf-8''files; filename=b.pdf",
        b"attachment; name=files; filename=b.pdf",
        b"form-data; name=files; filename*=utf-8''%FF.pdf",
        b"form-data; name=files; filename*=utf-16''b.pdf",
        b"form-data; name=files; filename*=none''b.pdf",
        b"form-data; name=files; filename*=b.pdf",
        b"form-data; name=files; filename=\xff.pdf",
        b'form-data; name=files; filename="=?none?B?w7EucGRm?="',
    ],
)
def test_a_part_without_exactly_one_readable_name_is_refused(disposition: bytes) -> None:
    with pytest.raises(InvalidBody):
        sent_name(disposition)


@given(st.binary(max_size=300))
def test_any_bytes_give_a_name_or_a_refusal(tail: bytes) -> None:
    try:
        name = sent_name(b"form-data; name=files; filename" + tail)
    except InvalidBody:
        return
    try:
        cleaned = clean_name(name, ALLOWED)
    except (InvalidBody, AttachmentTypeRefused):
        return
    assert not set(cleaned) & set('<>:"/\\|?*')
    assert cleaned.isprintable()
    assert len(cleaned.encode("utf-16-le")) // 2 <= 255
    assert not cleaned.rpartition(".")[0].endswith((" ", "."))


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (r"C:\Users\ana\i3.pdf", "i3.pdf"),
        (r"\\servidor\c\i3.pdf", "i3.pdf"),
        ("/home/ana/i3.PDF", "i3.pdf"),
        ("C:i3.pdf", "i3.pdf"),
        (r"a/b\c.pdf", "c.pdf"),
        ("a:b:c.pdf", "b c.pdf"),
        ("orden\x07.pdf", "orden.pdf"),
        ("a..pdf", "a.pdf"),
        ("a .pdf", "a.pdf"),
        ("an\u0303o.pdf", "año.pdf"),
        ("x" * 300 + ".pdf", "x" * 100 + ".pdf"),
        ("\U0001f600" * 300 + ".pdf", "\U0001f600" * 100 + ".pdf"),
        ("CONTRATO.pdf", "CONTRATO.pdf"),
        ("COM10.pdf", "COM10.pdf"),
        ("icon.pdf", "icon.pdf"),
        (r"C:\CON\i3.pdf", "i3.pdf"),
    ],
)
def test_a_file_name_loses_its_path_and_unsafe_characters(sent: str, kept: str) -> None:
    assert clean_name(sent, ALLOWED) == kept


@pytest.mark.parametrize(
    "sent",
    [
        "CON.pdf", "con.pdf", "aux.txt", "Nul.pdf", "prn.pdf", "COM1.pdf", "lpt9.txt", "COM0.pdf",
        "COM\u00b9.pdf",
        "LPT\u00b3.pdf", "CONIN$.pdf", "con.tar.pdf", "CON .pdf", " con.pdf", r"C:\x\CON.pdf", "C:CON.pdf",
        "CO\u200bN.pdf", "\uff23\uff2f\uff2e.pdf", "aux .x.txt",
    ],
)  # fmt: skip
def test_a_device_s_name_is_refused(sent: str) -> None:
    with pytest.raises(InvalidBody):
        clean_name(sent, ALLOWED)


@pytest.mark.parametrize(
    "sent", ["a.pdf.", "a.pdf..", "a.pdf. .", "a.txt::$DATA", "a.exe", "a", ".pdf", "", "."]
)
def test_other_file_extensions_are_refused(sent: str) -> None:
    with pytest.raises(AttachmentTypeRefused):
        clean_name(sent, ALLOWED)


def test_a_suffix_is_inserted_before_the_extension() -> None:
    assert with_suffix("a.b.pdf", "1f") == "a.b-1f.pdf"

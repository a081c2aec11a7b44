from email.message import Message
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.web.attachments import content_disposition


def names(header: str) -> tuple[str, str]:
    """Return the plain name and the one with accents, as a browser reads them."""
    message = Message()
    message["Content-Disposition"] = header
    plain, _, encoded = header.removeprefix('attachment; filename="').partition("\"; filename*=UTF-8''")
    assert message.get_content_disposition() == "attachment"
    return plain, unquote(encoded, errors="strict")


def test_an_accented_title_has_a_plain_twin() -> None:
    assert names(content_disposition("Órdenes de compra · año 2026", "pdf")) == (
        "Ordenes de compra  ano 2026.pdf",
        "Órdenes de compra · año 2026.pdf",
    )


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc passwd.pdf"),
        ('a"; filename="x.exe', "a ; filename= x.exe.pdf"),
        ("a\r\nSet-Cookie: x=1", "a Set-Cookie x=1.pdf"),
        ("a\u202efdp.exe", "afdp.exe.pdf"),
        ("C:\\x|y?", "C x y.pdf"),
        ("  ", "documento.pdf"),
        ("…", "….pdf"),
        ("销售", "销售.pdf"),
        ("\ud800", "documento.pdf"),
    ],
)
def test_a_hostile_title_is_only_a_name(title: str, name: str) -> None:
    header = content_disposition(title, "pdf")
    assert names(header)[1] == name
    header.encode("ascii")


@given(st.text(max_size=300))
def test_whatever_the_title_the_header_is_one_line_of_ascii_with_two_names(title: str) -> None:
    header = content_disposition(title, "pdf")
    assert header.isascii()
    assert header.isprintable()
    plain, encoded = names(header)
    assert plain.endswith(".pdf")
    assert '"' not in plain
    assert not set('/\\:*?"<>|') & set(encoded)
    assert 4 < len(encoded) <= 104

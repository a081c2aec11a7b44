from email.message import Message
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.web.download_names import content_disposition


def names(header: str) -> tuple[str, str]:
    """Return the plain name and the one with accents, as a browser reads them."""
    message = Message()
    message["Content-Disposition"] = header
    plain, _, encoded = header.removeprefix('attachment; filename="').partition("\"; filename*=UTF-8''")
    assert message.get_content_disposition() == "attachment"
    return plain, unquote(encoded, errors="strict")


def test_an_accented_title_has_an_ascii_file_name() -> None:
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


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("Informe \uff02x\uff02; y", "Informe  x ; y.pdf"),
        ("a\uff3cb\uff0fc\uff1ad", "a b c d.pdf"),
        ("\uff1ca\uff1e\uff5cb\uff1f\uff0a", "a b.pdf"),
        ("\uff0e\uff0e\uff0fetc\uff0fpasswd", "etc passwd.pdf"),
        ("℀ y ℅", "a c y c o.pdf"),
        ("\uff02", "documento.pdf"),
        ("…", "documento.pdf"),
    ],
)
def test_characters_that_fold_to_unsafe_ones_become_blanks(title: str, plain: str) -> None:
    assert names(content_disposition(title, "pdf"))[0] == plain


@given(
    st.text(max_size=300)
    | st.text("\uff02\uff3c\uff0f\uff1a\uff1c\uff1e\uff5c\uff1f\uff0a\uff0e℀", max_size=20)
)
def test_any_title_gives_one_ascii_header_with_two_names(title: str) -> None:
    header = content_disposition(title, "pdf")
    assert header.isascii()
    assert header.isprintable()
    plain, encoded = names(header)
    assert plain.endswith(".pdf")
    assert not set('/\\:*?"<>|') & set(plain)
    assert not plain.startswith(".")
    assert not set('/\\:*?"<>|') & set(encoded)
    assert 4 < len(encoded) <= 104

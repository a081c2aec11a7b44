"""Forms, whole and in every kind of pieces."""

import pytest

from erp_gateway.records.attachments.multipart import FormParts
from servicekit.errors import InvalidBody

HEAD = b"Content-Disposition: form-data; name=files; filename=a.pdf"
FORM = b"--b\r\n%b\r\nContent-Type: x/y\r\n\r\none\r\n--b\r\n%b\r\n\r\n\r\n--bx\r\n\r\n--b--\r\n" % (
    HEAD,
    HEAD,
)
DISPOSITION = HEAD.partition(b": ")[2]


def parsed(form: bytes, size: int) -> list[tuple[bytes, bytes]]:
    """Parse a form in pieces of a size; return each part's disposition and content."""
    found: list[tuple[bytes, bytearray]] = []

    def write(piece: bytes) -> None:
        found[-1][1].extend(piece)

    parts = FormParts(b"b", lambda head: found.append((head, bytearray())), write)
    for start in range(0, len(form), size):
        parts.feed(form[start : start + size])
    parts.finish()
    return [(head, bytes(content)) for head, content in found]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_chunks_of_any_size_give_the_same_parts(size: int) -> None:
    assert parsed(FORM, size) == [(DISPOSITION, b"one"), (DISPOSITION, b"\r\n--bx\r\n")]


@pytest.mark.parametrize("end", range(1, len(FORM) - len(b"--\r\n")))
def test_a_form_that_is_cut_off_is_refused(end: int) -> None:
    with pytest.raises(InvalidBody):
        parsed(FORM[:end], 64)


@pytest.mark.parametrize(
    "form",
    [
        b"",
        b"no form",
        b"--c\r\n\r\n\r\n--c--",
        b"--b\n" + HEAD + b"\n\nx\n--b--",
        b"--b\r\n" + HEAD + b"\r\n" + HEAD + b"\r\n\r\nx\r\n--b--",
        b"--b\r\n" + b"X: y\r\n" * 9 + b"\r\nx\r\n--b--",
        b"--b\r\nX: " + b"y" * 5000 + b"\r\n\r\nx\r\n--b--",
        b"--b\r\n" + (b"X: " + b"y" * 1000 + b"\r\n") * 5 + b"\r\nx\r\n--b--",
        b"--b\r\nX y\r\n\r\nx\r\n--b--",
    ],
)
@pytest.mark.parametrize("size", [1, 10_000])
def test_malformed_forms_are_refused(form: bytes, size: int) -> None:
    with pytest.raises(InvalidBody):
        parsed(form, size)


def test_a_part_without_disposition_has_an_empty_one() -> None:
    assert parsed(b"--b\r\nX: y\r\n\r\nx\r\n--b--", 5) == [(b"", b"x")]


def test_an_overlong_boundary_is_refused() -> None:
    with pytest.raises(InvalidBody):
        FormParts(b"b" * 300, print, print)

"""Which `Idempotency-Key` headers are keys, and which keys are the same."""

import pytest

from erp_gateway.writes.errors import IdempotencyKeyBadValue
from erp_gateway.writes.idempotency_key import read_idempotency_key


def read(*values: str) -> str | None:
    return read_idempotency_key(
        [(b"accept", b"*/*"), *((b"idempotency-key", value.encode("latin-1")) for value in values)]
    )


def test_the_idempotency_key_is_optional() -> None:
    assert read() is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("8f7c2f5e-6c1d", "8f7c2f5e-6c1d"),
        ('"8f7c2f5e-6c1d"', "8f7c2f5e-6c1d"),
        (" \t k \t", "k"),
        ("x" * 128, "x" * 128),
        ('"' + "x" * 128 + '"', "x" * 128),
        (r'"a\"b\\c"', r"a\"b\\c".replace(r"\"", '"').replace(r"\\", "\\")),
        ('a"b', 'a"b'),
        ("a,b;c=~!", "a,b;c=~!"),
    ],
)
def test_quoted_and_bare_forms_are_the_same_key(written: str, meant: str) -> None:
    assert read(written) == meant


@pytest.mark.parametrize(
    "written",
    ["", " ", '""', '"', "x" * 129, '"' + "x" * 129 + '"', "a b", '"a b"', '"a"b"', '"a', '"a";p=1', r'"\a"',
     "ñ", "a\x7f", "a\tb"],
)  # fmt: skip
def test_a_malformed_key_is_refused(written: str) -> None:
    with pytest.raises(IdempotencyKeyBadValue):
        read(written)


def test_two_key_headers_are_refused() -> None:
    with pytest.raises(IdempotencyKeyBadValue):
        read("a", "a")

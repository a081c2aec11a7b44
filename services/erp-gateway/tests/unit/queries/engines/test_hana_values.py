"""A LOB is read in pieces that the driver hands out, halves of characters as replacements, in few reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.queries.engines.hana_values import lob_pieces


class Lob:
    """Hands out units of UTF-16 as the driver does: it refuses a piece with half a character in it."""

    def __init__(self, text: str) -> None:
        self._units = text.encode("utf-16-le", "surrogatepass")
        self.reads = 0

    def read(self, length: int, position: int) -> str | None:
        self.reads += 1
        return self._units[2 * (position - 1) : 2 * (position - 1 + length)].decode("utf-16-le") or None


def whole(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("", 1),
        ("a" * 70_000, 3),
        ("a" * 65_535 + "😀" + "b", 4),
        ("\ud83d", 20),
        ("a" * 100 + "\ud83d", 60),
        (("a" * 255 + "\ud83d") * 20, 20 * 40),
        ("😀\ud83d😀\ude00", 60),
    ],
)
def test_a_text_is_read_whole_in_few_reads(text: str, most: int) -> None:
    lob = Lob(text)
    assert "".join(lob_pieces(lob)) == whole(text)
    assert lob.reads <= most


@given(st.text(st.sampled_from("aé😀\ud83d\ude00"), max_size=60))
def test_any_mixture_is_read_as_its_replacement(text: str) -> None:
    assert "".join(lob_pieces(Lob(text))) == whole(text)

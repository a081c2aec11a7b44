"""Halves of characters are replaced, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpclient.http.bodies import read_list, read_record
from erpclient.http.cleaner import Cleaner
from erpclient.http.error_replies import is_gateway_page, read_error
from erpclient.http.half_characters import PIECE_BYTES, with_whole_characters
from erpclient.http.messages import HttpReply

REPLACED = "\ufffd"


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (rb'"x\ud83d"', rb'"x\ufffd"'),
        (rb'"\uDE00x"', rb'"\ufffdx"'),
        (rb'"\ud83d\ud83d\ude00"', rb'"\ufffd\ud83d\ude00"'),
        (rb'"\ud83d\n\ude00"', rb'"\ufffd\n\ufffd"'),
        (rb'"\\ud83d"', rb'"\\ud83d"'),
        (rb'"\\\ud83d"', rb'"\\\ufffd"'),
        (rb'"\ud7ff\ue000"', rb'"\ud7ff\ue000"'),
        (b'"x\xed\xa0\xbdy"', f'"x{REPLACED}y"'.encode()),
        (b'"\xed\xa0\xbd\xed\xb8\x80"', '"😀"'.encode()),
        ('"\ud7ff"'.encode(), '"\ud7ff"'.encode()),
        (b'"\xed\xff"', b'"\xed\xff"'),
    ],
)
def test_halves_are_replaced(sent: bytes, read: bytes) -> None:
    assert with_whole_characters(sent) == read


@given(st.text())
def test_a_text_of_whole_characters_stays_unchanged(text: str) -> None:
    escaped = text.encode("ascii", "backslashreplace").replace(b"\\x", b"\\u00")
    for sent in (text.encode(), escaped):
        assert with_whole_characters(sent) == sent


@pytest.mark.parametrize("half", [rb"\ud83d", b"\xed\xa0\xbd"], ids=["escape", "bytes"])
def test_a_lone_surrogate_is_replaced_and_the_rest_stays(half: bytes) -> None:
    row = b'{"Name":"corte ' + half + b'","Price":1.10}'
    page = read_list(b'{"odata.count":"2","value":[{"Price":2.20},' + row + b"]}", Cleaner())
    assert page.count == 2
    assert b'{"Price":2.20}' in page.rows
    assert b'"Price":1.10' in page.rows
    made = read_record(row, None, Cleaner())
    assert b'"Price":1.10' in made.body
    said = b'{"error":{"code":-10,"message":{"lang":"en-us","value":"corte ' + half + b'"}}}'
    reply = HttpReply(500, "application/json", None, body=said)
    assert read_error(reply) == (-10, f"corte {REPLACED}")
    assert not is_gateway_page(reply)


@pytest.mark.parametrize("text", [b'{"a":"\\\\n\\"' + b"x" * 100 + b'\xff"}', b'"\\u00f1"', "ñ".encode()])
def test_a_text_without_surrogates_is_returned_uncopied(text: bytes) -> None:
    assert with_whole_characters(text) is text


PARTS = ['"', "\\\\", '\\"', "\\ud83d", "\\ude00", "\\uD83D\\uDE00", "\\\\ud83d", "\\n", "x", "ud83d"]


@given(st.lists(st.sampled_from(PARTS), max_size=12), st.integers(0, 40))
def test_where_a_long_text_is_cut_into_pieces_makes_no_difference(parts: list[str], before: int) -> None:
    """Whatever stands where the first piece ends: the same becomes of it as far from there."""
    text = '"' + "".join(parts) + '"'
    filler = b'"' + b"x" * (PIECE_BYTES - before) + b'",'
    assert with_whole_characters(filler + text.encode()) == filler + with_whole_characters(text.encode())

"""Texts as string literals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpclient.odata import InvalidLiteral, ODataErrorCode, OptionRules, parse_list_query, quote_string
from erpclient.odata.query_string import encode_value


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("", "''"),
        ("A1", "'A1'"),
        ("O'Neil", "'O''Neil'"),
        ("''", "''''''"),
        ("\\'", "'\\'''"),
        ("%27", "'%27'"),
    ],
)
def test_only_quotes_are_doubled(text: str, literal: str) -> None:
    assert quote_string(text) == literal


@pytest.mark.parametrize(
    "code",
    [
        0x00,
        0x09,
        0x0A,
        0x0D,
        0x1F,
        0x7F,
        0x80,
        0x85,
        0x9F,
        0x2028,
        0x2029,
        0xD800,
        0xDFFF,
        0xFFFD,
        0xFFFE,
        0xFFFF,
    ],
    ids=hex,
)
def test_an_unstorable_character_is_refused_with_its_position(code: int) -> None:
    with pytest.raises(InvalidLiteral) as refusal:
        quote_string(f"ab{chr(code)}c")
    assert (refusal.value.code, refusal.value.position) == (ODataErrorCode.BAD_VALUE, 2)
    assert refusal.value.message.isprintable()


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_a_quoted_text_is_parsed_as_one_value(text: str) -> None:
    try:
        literal = quote_string(text)
    except InvalidLiteral:
        return
    written = f"U_WEB_USER eq {literal} and Active eq 'tYES'"
    assert parse_list_query("$filter=" + encode_value(written), OptionRules()).filter == written
    assert literal[1:-1].replace("''", "'") == text

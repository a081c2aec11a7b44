"""`If-Match`: one well-formed weak tag or a star, and nothing that upstream would ignore."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpclient.odata import InvalidEntityTag, ODataErrorCode, parse_if_match

VERSION_1 = "356A192B7913B04C54574D18C28D46E6395428AB"


@pytest.mark.parametrize(
    "text", ["*", f'W/"{VERSION_1}"', 'W/"1"', 'W/"!#%&\'()*+,-./:;<=>?@[]^_`{|}~"', 'W/"' + "x" * 128 + '"']
)
def test_a_well_formed_value_passes_unchanged(text: str) -> None:
    assert parse_if_match(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *[
            "",
            " ",
            "**",
            "* ",
            " *",
            "*\n",
            "null",
            VERSION_1,
            f'"{VERSION_1}"',
            f"W/{VERSION_1}",
            f"W/'{VERSION_1}'",
        ],
        *[
            f'w/"{VERSION_1}"',
            f'W"{VERSION_1}"',
            f'W/ "{VERSION_1}"',
            f' W/"{VERSION_1}"',
            f'W/"{VERSION_1}" ',
        ],
        *[
            f'W/"{VERSION_1}',
            f'W/{VERSION_1}"',
            'W/""',
            'W/"a"b"',
            'W/"a b"',
            'W/"a\tb"',
            'W/"a\x00"',
            'W/"ñ"',
        ],
        *[
            'W/"a","b"',
            'W/"a", W/"b"',
            'W/"a",*',
            'W/"a"\r\nX: y',
            'W/"a"\n',
            'W/"\x7f"',
            'W/"' + "x" * 129 + '"',
        ],
    ],
)
def test_any_other_entity_tag_is_refused(text: str) -> None:
    with pytest.raises(InvalidEntityTag) as refusal:
        parse_if_match(text)
    assert refusal.value.code == ODataErrorCode.IF_MATCH
    assert refusal.value.expected == ("*", "entity tag")
    assert refusal.value.message.isprintable()


@given(st.text() | st.text(st.sampled_from('W/"*aA1 ,\n\x00')))
@settings(max_examples=300, deadline=None)
def test_any_text_is_refused_or_a_single_weak_tag(text: str) -> None:
    try:
        passed = parse_if_match(text)
    except InvalidEntityTag:
        return
    assert passed == text
    assert text == "*" or (text[:3], text[-1:], text.count('"')) == ('W/"', '"', 2)
    assert text.isascii()
    assert text.isprintable()
    assert " " not in text

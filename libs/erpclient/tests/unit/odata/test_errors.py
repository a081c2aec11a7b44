"""Refusals: one line for people, facts for programs."""

import pytest

from erpclient.odata import (
    Expected,
    Hint,
    InvalidEntityTag,
    InvalidKey,
    InvalidLiteral,
    InvalidOption,
    ODataError,
    ODataErrorCode,
)
from erpclient.odata.errors import shown


def test_the_message_contains_all_facts() -> None:
    refusal = InvalidOption(
        ODataErrorCode.SYNTAX,
        "not understood",
        option="$filter",
        position=11,
        expected=(Expected.QUOTED_DATE, Expected.NULL),
        found="2024-01-01",
        hint=Hint.QUOTE_DATES,
    )
    assert (
        str(refusal)
        == refusal.message
        == (
            "$filter, position 11: not understood; expected quoted date | null; found '2024-01-01'; "
            "write dates in quotes, like '2024-01-31'"
        )
    )


def test_a_message_without_further_facts_is_the_reason() -> None:
    assert str(ODataError(ODataErrorCode.LIMIT, "too long")) == "too long"


@pytest.mark.parametrize("hint", list(Hint))
def test_every_hint_has_its_advice(hint: Hint) -> None:
    assert len(ODataError(ODataErrorCode.SYNTAX, "no", hint=hint).message) > len("no; ")


@pytest.mark.parametrize("kind", [InvalidOption, InvalidKey, InvalidLiteral, InvalidEntityTag])
def test_every_refusal_is_an_odata_error(kind: type[ODataError]) -> None:
    assert issubclass(kind, ODataError)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", ""),
        ("x" * 20, "x" * 20),
        ("x" * 21, "x" * 17 + "..."),
        ("a\nb", "a\\nb"),
        ("\x00" * 6, "\\x00\\x00\\x00\\x00\\..."),
        ("\udcff", "\\udcff"),
        ("Ñandú 'x'", "Ñandú 'x'"),
    ],
    ids=ascii,
)
def test_the_found_text_is_short_and_printable(text: str, result: str) -> None:
    assert shown(text) == result
    assert shown(text).isprintable()

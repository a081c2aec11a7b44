"""Characters without width and ink are removed; blanks, letters and marks stay."""

import sys
import unicodedata

import pytest

from servicekit.visible_text import remove_invisible


@pytest.mark.parametrize(
    "character",
    [
        "\u200b",
        "\u200d",
        "\u00ad",
        "\u2060",
        "\ufeff",
        "\u202e",
        "\u034f",
        "\u3164",
        "\ufe0f",
        "\U000e0041",
        "\u2800",
    ],
)
def test_an_invisible_character_is_removed_anywhere(character: str) -> None:
    assert remove_invisible(f"{character}an{character}a{character}") == "ana"


def test_every_format_and_control_character_is_removed_and_blanks_stay() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.category(character) == "Cf":
            assert remove_invisible(character) == "", hex(code)
        if character.isspace():
            assert remove_invisible(character) == character, hex(code)


@pytest.mark.parametrize("text", ["", "ana maría", "n\u0303", "日本", "ñ", "straße", "\u0130"])
def test_visible_text_stays(text: str) -> None:
    assert remove_invisible(text) == text

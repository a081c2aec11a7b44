"""Which values of `LANG` switch the commands' texts to English."""

import pytest

from servicekit.terminal_language import is_english


@pytest.mark.parametrize(
    ("lang", "english"),
    [
        *((value, True) for value in ("en", "en_US", "en_US.UTF-8", "en-GB", "EN", "en@euro", "en.UTF-8")),
        *((value, False) for value in ("", "C", "C.UTF-8", "POSIX", "es_CL.UTF-8", "enx", "english", "den")),
    ],
)
def test_only_an_english_lang_switches_the_language(lang: str, english: bool) -> None:
    assert is_english({"LANG": lang}) is english


def test_texts_are_spanish_unless_lang_is_english() -> None:
    assert not is_english({})
    assert not is_english({"LC_ALL": "en_US.UTF-8", "LANGUAGE": "en"})

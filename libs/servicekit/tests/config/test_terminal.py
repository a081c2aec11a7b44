"""Faults of settings on a terminal: English if `LANG` names it, else Spanish; logs stay English."""

import io

import pytest

from servicekit.config import ConfigError, Problem, SettingsTerminal

PORT = Problem("PORT", "is required", "es obligatorio")


@pytest.mark.parametrize(
    ("lang", "fault", "warning"),
    [
        ("en_US.UTF-8", "PORT: is required\n", "warning: PORT: is required\n"),
        ("es_CL.UTF-8", "PORT: es obligatorio\n", "advertencia: PORT: es obligatorio\n"),
        ("C.UTF-8", "PORT: es obligatorio\n", "advertencia: PORT: es obligatorio\n"),
    ],
)
def test_lang_decides_the_language(lang: str, fault: str, warning: str) -> None:
    err = io.StringIO()
    terminal = SettingsTerminal({"LANG": lang}, err)
    terminal.show(ConfigError([PORT]).problems)
    terminal.warn([PORT])
    assert err.getvalue() == fault + warning


def test_an_error_of_code_is_printed_as_it_is() -> None:
    err = io.StringIO()
    SettingsTerminal({}, err).show([ValueError("acme: no module")])
    assert err.getvalue() == "acme: no module\n"


def test_the_text_of_an_exception_is_english() -> None:
    assert str(ConfigError([PORT])) == "PORT: is required"

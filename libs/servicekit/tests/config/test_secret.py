"""`Secret` shows itself to nobody."""

import copy
import pickle
from typing import Any

import pytest

from servicekit.config import Secret


@pytest.mark.parametrize("show", [repr, str, "{}".format, "{:>40}".format, lambda s: f"{s}"])
def test_every_string_form_of_a_secret_hides_its_value(show: Any) -> None:
    assert "hunter2" not in show(Secret("hunter2"))
    assert "***" in show(Secret("hunter2"))


def test_reveal_gives_the_value() -> None:
    assert Secret("hunter2").reveal() == "hunter2"


def test_equal_values_are_equal_secrets() -> None:
    assert Secret("contraseña") == Secret("contraseña")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a"), Secret("b")}) == 2


@pytest.mark.parametrize("take_apart", [pickle.dumps, copy.copy])
def test_a_secret_cannot_be_pickled_or_copied(take_apart: Any) -> None:
    with pytest.raises(TypeError, match="a secret is not pickled") as raised:
        take_apart(Secret("hunter2"))
    assert "hunter2" not in str(raised.value)

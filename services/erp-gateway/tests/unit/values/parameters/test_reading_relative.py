"""Days that are named by where today is."""

from datetime import date
from typing import Any

import pytest

from erp_gateway.values.parameters.declare import ParameterInput, ReportParameter
from erp_gateway.values.parameters.reading import on_day

TODAY = date(2026, 11, 22)


def parameter(type: str = "xsd:date", **asked: Any) -> ReportParameter:  # noqa: A002
    return ReportParameter(name="P", type=type, input=ParameterInput(**asked))


@pytest.mark.parametrize(
    ("word", "day"), [("hoy", "2026-11-22"), ("inicio_mes", "2026-11-01"), ("inicio_ano", "2026-01-01")]
)
def test_a_relative_day_is_resolved_at_every_place(word: str, day: str) -> None:
    (plain,) = on_day([parameter(default=word, minimum=word, maximum=word)], TODAY)
    assert (plain.input.default, plain.input.minimum, plain.input.maximum) == (day, day, day)


def test_words_in_ranges_and_lists_become_days_and_the_rest_stays() -> None:
    (plain,) = on_day([parameter(default={"from": "inicio_mes", "to": "2026-11-30"})], TODAY)
    assert plain.input.default == {"from": "2026-11-01", "to": "2026-11-30"}
    (plain,) = on_day([parameter(default=["hoy", "2026-01-01"], maximum=None)], TODAY)
    assert plain.input.default == ["2026-11-22", "2026-01-01"]


def test_where_the_kind_of_input_makes_a_text_a_day_words_count_too() -> None:
    (plain,) = on_day([parameter("xsd:string", kind="date", default="hoy")], TODAY)
    assert plain.input.default == "2026-11-22"


@pytest.mark.parametrize("type_", ["xsd:string", "xsd:decimal", "xsd:dateTime"])
def test_of_other_types_a_word_is_a_word(type_: str) -> None:
    declared = parameter(type_, default="hoy")
    assert on_day([declared], TODAY) == (declared,)

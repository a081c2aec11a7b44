"""JSON in the written form of captured answers."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpsim.company.errors import NotSimulatedError
from erpsim.service_layer.wire.json_text import JsonValue, number_text, parse_object, render

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.decimals(allow_nan=False, allow_infinity=False, places=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


def test_an_error_is_written_as_captured_with_three_spaces_and_a_newline() -> None:
    error: JsonValue = {"error": {"code": 301, "message": {"lang": "en-us", "value": "Invalid session"}}}
    assert render(error).decode() == (
        "{\n"
        '   "error" : {\n'
        '      "code" : 301,\n'
        '      "message" : {\n'
        '         "lang" : "en-us",\n'
        '         "value" : "Invalid session"\n'
        "      }\n"
        "   }\n"
        "}\n"
    )


def test_the_captured_v2_refusal_has_the_captured_length() -> None:
    message = "No matching records found (ODBC -2028)"
    details = [{"code": "", "message": ""}]
    # The captured part says `Content-Length: 210`.
    assert len(render({"error": {"code": "-2028", "details": details, "message": message}})) == 210


def test_empty_lists_and_objects_stay_on_one_line() -> None:
    assert render({"value": [], "row": {}}) == b'{\n   "value" : [],\n   "row" : {}\n}\n'


def test_lists_of_rows_are_indented() -> None:
    assert render([{"a": 1}, {"a": None}]).decode() == (
        '[\n   {\n      "a" : 1\n   },\n   {\n      "a" : null\n   }\n]\n'
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Decimal(2000), "2000.0"),
        (Decimal("10.1"), "10.1"),
        (Decimal("0.000001"), "0.000001"),
        (Decimal("1E+3"), "1000.0"),
        (Decimal("1E-7"), "0.0000001"),
        (Decimal("-123456789012345678.123456"), "-123456789012345678.123456"),
        (Decimal("1.50"), "1.50"),
    ],
)
def test_numbers_keep_every_digit_and_never_have_an_exponent(number: Decimal, text: str) -> None:
    assert number_text(number) == text


def test_text_outside_ascii_is_written_as_utf_8() -> None:
    assert render({"Nombre": 'Ñandú\n"x"'}).decode() == '{\n   "Nombre" : "Ñandú\\n\\"x\\""\n}\n'


@given(VALUES)
@settings(max_examples=60)
def test_a_written_batch_reads_back_equal(value: object) -> None:
    assert json.loads(render(value), parse_float=Decimal) == value  # type: ignore[arg-type]


def test_values_that_json_does_not_know_are_a_fault_of_the_caller() -> None:
    with pytest.raises(TypeError, match="no JSON value"):
        render({"a": object()})  # type: ignore[dict-item]


def test_fractions_are_read_digit_for_digit() -> None:
    assert parse_object(b'{"Price": 1.10, "Count": 3}') == {"Price": Decimal("1.10"), "Count": 3}


def test_an_empty_body_is_an_empty_object() -> None:
    assert parse_object(b" \r\n") == {}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[1]",
        b"1",
        b'{"a": NaN}',
        b"\xff",
        b'{"a":' + b"[" * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": 1e-99999999999999999999}',
    ],
    ids=["cut", "list", "number", "nan", "bytes", "deep", "long number", "tiny number"],
)
def test_a_body_that_is_no_object_is_refused_without_guessing_the_wording(body: bytes) -> None:
    with pytest.raises(NotSimulatedError) as refusal:
        parse_object(body)
    assert refusal.value.status == 501

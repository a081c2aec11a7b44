"""Strict JSON: every digit is read, anything else is refused with words that help."""

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.endpoint import json_response, parse_json
from servicekit.errors import MalformedJson

DEEP = 64


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": [1, "x", null, true]}', {"a": [1, "x", None, True]}),
        (b" 3 ", 3),
        (b"1234567890.123456", Decimal("1234567890.123456")),
        (b"100.10", Decimal("100.10")),
        (b"1e2", Decimal("1e2")),
        ('"ñ\\u00f1\\ud83d\\ude00"'.encode(), "ññ😀"),
        (b"[" * DEEP + b"]" * DEEP, None),
        (b'["' + b"[" * 200 + b'"]', ["[" * 200]),
    ],
)
def test_strict_json_is_read_with_every_digit(body: bytes, value: Any) -> None:
    read = parse_json(body)
    if value is not None:
        assert read == value
        assert str(read) == str(value)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "línea 1, columna 1"),
        (b"{", "línea 1, columna 2"),
        (b"{'a': 1}", "línea 1, columna 2"),
        (b'{"a": 1,}', "línea 1"),
        (b"[1,\n 01]", "línea 2, columna 3"),
        (b'{"a": 1} x', "línea 1, columna 10"),
        (b'"a\nb"', "línea 1"),
        (b"\xef\xbb\xbf{}", "línea 1"),
        (b"NaN", "NaN"),
        (b'{"a": [Infinity]}', "NaN"),
        (b"-Infinity", "NaN"),
        (b'{"a": 1e99999999999999999999}', "exponente"),
        (b"0.1E-99999999999999999999", "exponente"),
        (b'{"a": 1, "a": 2}', "repetida"),
        (b'[{"x": {"a": 1, "b": 1, "a": 1}}]', "repetida"),
        (b'"\xff"', "UTF-8"),
        (b'"\xed\xa0\x80"', "UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "UTF-8"),
        (b'"\\ud800"', "sustituto"),
        (b'{"\\udfff": 1}', "sustituto"),
        (b'[[["x", {"y": "\\ud800"}]]]', "sustituto"),
        (b"[" * (DEEP + 1) + b"]" * (DEEP + 1), "profundidad"),
        (b'{"a":' * (DEEP + 1) + b"1" + b"}" * (DEEP + 1), "profundidad"),
        (b"[" * 500_000, "profundidad"),
        (b"[" * 100_000 + b"]" * 100_000, "profundidad"),
        (b"9" * 5000, "JSON"),
    ],
    ids=range(26),
)
def test_any_other_json_is_refused_with_its_position(body: bytes, said: str) -> None:
    with pytest.raises(MalformedJson, match=r"malformed_json") as raised:
        parse_json(body)
    assert said in raised.value.detail


@given(st.binary())
def test_no_bytes_break_the_parser(body: bytes) -> None:
    with suppress(MalformedJson):
        parse_json(body)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.decimals(allow_nan=False, allow_infinity=False),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


@given(JSON)
def test_a_written_file_is_read_back(value: Any) -> None:
    body = bytes(json_response(value).body)
    assert parse_json(body) == value


@attrs.frozen(kw_only=True)
class Login:
    user_name: str
    password: str


def test_the_standard_parser_agrees_about_written_values() -> None:
    body = json_response(Login(user_name="ana", password="x")).body
    assert json.loads(bytes(body)) == {"userName": "ana", "password": "x"}

"""Numbers of writes sort as the writes came."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.writes.writes import WriteNumbers, first_number_at, with_trace

NOW = datetime(2026, 3, 2, 14, 5, 9, 120_000, tzinfo=UTC)
LATER = NOW + timedelta(milliseconds=1)


def test_each_is_greater_than_the_one_before_also_when_the_clock_stands_or_goes_back() -> None:
    numbers = WriteNumbers()
    made = [numbers.next(moment) for moment in (NOW, NOW, LATER, NOW, NOW, LATER, LATER + timedelta(days=1))]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert {len(number) for number in made} == {26}


def test_before_1970_there_are_no_numbers_and_none_sorts_before() -> None:
    long_ago = datetime(1926, 1, 1, tzinfo=UTC)
    assert first_number_at(long_ago) == first_number_at(datetime(1970, 1, 1, tzinfo=UTC)) == "0" * 26


def test_a_moment_lies_between_those_before_and_those_of_it() -> None:
    numbers = WriteNumbers()
    assert numbers.next(NOW) < first_number_at(LATER) < numbers.next(LATER)


NUMBER = "01JNB0K6T4W5C8Q2V7M3R9XZAE"


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        (b"{}", b'{"U_X":"%b"}'),
        (b" { } ", b'{"U_X":"%b"} '),
        (b'{"A": 100.10}', b'{"U_X":"%b","A": 100.10}'),
        (b'\r\n{\t"A":{"B":[]}}', b'{"U_X":"%b","A":{"B":[]}}'),
    ],
)
def test_the_field_comes_first_and_nothing_else_changes(body: bytes, sent: bytes) -> None:
    assert with_trace(body, "U_X", NUMBER) == sent % NUMBER.encode()


@given(st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=4), max_size=3), st.booleans())
def test_any_object_is_still_the_same_object_with_the_field(value: dict[str, object], spaced: bool) -> None:
    body = json.dumps(value, indent=1 if spaced else None).encode()
    assert json.loads(with_trace(body, "U_GW_Clave", NUMBER)) == {"U_GW_Clave": NUMBER, **value}


def test_what_is_no_object_is_not_touched() -> None:
    with pytest.raises(ValueError, match="no JSON object"):
        with_trace(b"[]", "U_X", NUMBER)

"""The field with the write's number is added without any other change of the body."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.writes.trace import with_trace

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
def test_the_trace_field_is_inserted_first_and_the_rest_is_unchanged(body: bytes, sent: bytes) -> None:
    assert with_trace(body, "U_X", NUMBER) == sent % NUMBER.encode()


@given(st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=4), max_size=3), st.booleans())
def test_any_object_with_the_trace_field_keeps_its_values(value: dict[str, object], spaced: bool) -> None:
    body = json.dumps(value, indent=1 if spaced else None).encode()
    assert json.loads(with_trace(body, "U_GW_Clave", NUMBER)) == {"U_GW_Clave": NUMBER, **value}


def test_a_body_that_is_not_an_object_gets_no_trace_field() -> None:
    with pytest.raises(ValueError, match="no JSON object"):
        with_trace(b"[]", "U_X", NUMBER)

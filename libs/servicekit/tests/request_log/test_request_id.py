"""Request ids and trace headers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.request_log.request_id import accept_request_id, accept_traceparent, new_request_id

TRACEPARENT = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize("received", [b"a", b"A-z.0_9", b"x" * 64])
def test_a_well_formed_id_is_kept(received: bytes) -> None:
    assert accept_request_id(received) == received.decode()


@pytest.mark.parametrize("received", [None, b"", b"x" * 65, b"a b", b"a\n", "ñ".encode(), b"<script>"])
def test_a_malformed_request_id_is_replaced(received: bytes | None) -> None:
    made = accept_request_id(received)
    assert len(made) == 26
    assert made.encode() != received


def test_made_ids_are_ulids_that_sort_by_time_and_never_repeat() -> None:
    made = [new_request_id() for _ in range(1000)]
    assert len(set(made)) == 1000
    assert [each[:10] for each in made] == sorted(each[:10] for each in made)
    assert set("".join(made)) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    assert made[0][0] == "0"


def test_a_well_formed_traceparent_is_kept() -> None:
    assert accept_traceparent(TRACEPARENT) == TRACEPARENT.decode()


@pytest.mark.parametrize(
    "received",
    [None, b"", TRACEPARENT.upper(), TRACEPARENT + b"-x", TRACEPARENT[1:], b"ff" + TRACEPARENT[2:]],
)
def test_a_malformed_traceparent_is_dropped(received: bytes | None) -> None:
    assert accept_traceparent(received) is None


@given(st.binary(max_size=80))
def test_an_accepted_id_is_safe_in_a_header_and_a_log_line(received: bytes) -> None:
    assert accept_request_id(received).replace(".", "a").replace("-", "a").replace("_", "a").isalnum()
    assert (accept_traceparent(received) or "-").isprintable()

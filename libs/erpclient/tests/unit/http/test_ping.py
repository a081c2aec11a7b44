"""Answers of the balancer to a ping."""

import pytest

from erpclient import HttpReply
from erpclient.http.ping import is_pong


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"message":"pong","sender":"load balancer","timestamp":"1555998764.740"}', True),
        (b'{"message":"Service Unavailable"}', False),
        (b"{}", False),
        (b"<html>", False),
        ('{"message":"Página no encontrada"}'.encode("latin-1"), False),
        (b"[" * 100_000, False),
    ],
)
def test_a_pong_is_the_balancers_own(body: bytes, expected: bool) -> None:
    assert is_pong(HttpReply(200, body=body)) is expected

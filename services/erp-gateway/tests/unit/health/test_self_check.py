"""The image's health check asks where the process listens."""

import pytest

from erp_gateway.health.self_check import host


@pytest.mark.parametrize(
    ("configured", "asked"),
    [
        (None, "127.0.0.1"),
        ("", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),
        ("::", "[::1]"),
        ("::1", "[::1]"),
        ("127.0.0.2", "127.0.0.2"),
        ("10.0.0.7", "10.0.0.7"),
    ],
)
def test_it_calls_the_address_of_the_process(configured: str | None, asked: str) -> None:
    assert host({} if configured is None else {"HOST": configured}) == asked

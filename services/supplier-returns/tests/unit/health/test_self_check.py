"""The image's health check uses the address and the protocol of the service."""

import pytest

from supplier_returns.health.self_check import address


@pytest.mark.parametrize(
    ("environ", "asked"),
    [
        ({}, "http://127.0.0.1:3000/api/health"),
        ({"HOST": "0.0.0.0", "PORT": "3001"}, "http://127.0.0.1:3001/api/health"),
        ({"HOST": "::", "HTTPS_KEY_PATH": "key.pem"}, "https://[::1]:3000/api/health"),
        ({"HOST": "10.0.0.7", "HTTPS_PFX_PATH": "bundle.pfx"}, "https://10.0.0.7:3000/api/health"),
    ],
)
def test_the_check_uses_the_address_of_the_service(environ: dict[str, str], asked: str) -> None:
    assert address(environ) == asked

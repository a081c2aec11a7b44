"""Plain HTTP port next to HTTPS."""

import httpx2
import pytest

from supplier_returns.web.https_redirect import create_redirect


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "url", "port", "location"),
    [
        ("GET", "http://erp.example.cl/", 443, "https://erp.example.cl/"),
        (
            "GET",
            "http://ERP.example.cl:80/a/b%2Fc?x=1&y=%20",
            443,
            "https://erp.example.cl/a/b%2Fc?x=1&y=%20",
        ),
        ("POST", "http://10.0.0.5:8080/api/auth/login", 3000, "https://10.0.0.5:3000/api/auth/login"),
        ("HEAD", "http://[::1]/x", 3000, "https://[::1]:3000/x"),
        ("GET", "http://erp.example.cl//evil.example", 443, "https://erp.example.cl//evil.example"),
    ],
)
async def test_every_request_is_redirected_to_the_same_address_over_https(
    method: str, url: str, port: int, location: str
) -> None:
    transport = httpx2.ASGITransport(app=create_redirect(port))
    async with httpx2.AsyncClient(transport=transport) as client:
        answer = await client.request(method, url)
    assert (answer.status_code, answer.headers["Location"]) == (301, location)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Strict-Transport-Security" not in answer.headers


@pytest.mark.asyncio
@pytest.mark.parametrize("host", ["", "a b", "evil.example/x", "x:99999999"])
async def test_an_invalid_host_is_refused(host: str) -> None:
    transport = httpx2.ASGITransport(app=create_redirect(443))
    async with httpx2.AsyncClient(transport=transport) as client:
        answer = await client.get("http://erp.example.cl/", headers={"Host": host})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")

"""Which addresses a secret may be sent to."""

import pytest

from erpclient.tax_documents import TaxServiceAddressRefused
from erpclient.tax_documents.client import check_address

ANY: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    "url",
    [
        "https://dte.example.cl/wsfactlocal/dtelocal.asmx",
        "https://dte.example.cl:8443/x?empresa=1&y=%20",
        "HTTPS://DTE.example.cl/x",
        "https://10.0.0.7/x",
        "http://127.0.0.1:8080/x",
        "http://127.9.9.9/x",
        "http://[::1]:8080/x",
        "http://localhost:8080/x",
        "http://LOCALHOST/x",
    ],
)
def test_https_passes_and_http_on_the_own_machine(url: str) -> None:
    check_address(url, ANY)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "is empty"),
        ("https://dte.example.cl/" + "x" * 1000, "too long"),
        ("https://dte.example.cl/a b", "characters"),
        ("https://dte.example.cl/\r\nX: y", "characters"),
        ("https://good.example\\@evil.example/", "characters"),
        ("https://ñandú.cl/", "characters"),
        ("dte.example.cl/x", "must begin with https://"),
        ("//dte.example.cl/x", "must begin with https://"),
        ("ftp://dte.example.cl/x", "must begin with https://"),
        ("file:///etc/passwd", "must begin with https://"),
        ("https:///x", "name a host"),
        ("https://host:0/x", "must begin with https://"),
        ("https://host:99999/x", "no address"),
        ("https://[::1/x", "no address"),
        ("http://dte.example.cl/x", "must begin with https://"),
        ("http://10.0.0.7/x", "must begin with https://"),
        ("http://localhost.example.cl/x", "must begin with https://"),
        ("http://127.0.0.1.example.cl/x", "must begin with https://"),
        ("https://user@host/x", "neither a user"),
        ("https://user:word@host/x", "neither a user"),
        ("https://:word@host/x", "neither a user"),
        ("https://host/x#part", "nor a fragment"),
        ("https://host/x#", "nor a fragment"),
    ],
)
def test_other_addresses_are_refused_with_the_reason_and_without_the_address(url: str, reason: str) -> None:
    with pytest.raises(TaxServiceAddressRefused, match=reason) as refusal:
        check_address(url, ANY)
    assert not url or url not in str(refusal.value)


@pytest.mark.parametrize(
    "url", ["https://DTE.example.cl/x", "https://dte.example.cl:8443/x", "http://127.0.0.1/x"]
)
def test_an_allowed_host_passes_whatever_its_letter_case_and_port(url: str) -> None:
    check_address(url, frozenset({"Dte.Example.CL", "127.0.0.1"}))


@pytest.mark.parametrize(
    "url", ["https://evil.example/x", "https://a.dte.example.cl/x", "http://localhost/x"]
)
def test_a_host_that_is_not_allowed_is_refused(url: str) -> None:
    with pytest.raises(TaxServiceAddressRefused, match="not among the allowed"):
        check_address(url, frozenset({"dte.example.cl"}))

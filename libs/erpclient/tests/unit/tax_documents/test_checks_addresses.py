"""Which addresses a secret may be sent to."""

import pytest

from erpclient.tax_documents import TaxServiceAddressRefused
from erpclient.tax_documents.checks import MAX_ADDRESS_LENGTH, check_address

ANY: frozenset[str] = frozenset()
LONGEST = "https://dte.example.cl/".ljust(MAX_ADDRESS_LENGTH, "x")

WRITTEN = "is empty, too long or holds characters that no address has"
NONE = "is no address"
HOST = "must begin with https:// and name a host"
SECRETS = "must hold neither a user nor a fragment"
PLAIN_HTTP = "must begin with https://"


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
        LONGEST,
    ],
)
def test_https_passes_and_http_on_the_own_machine(url: str) -> None:
    check_address(url, ANY)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", WRITTEN),
        (LONGEST + "x", WRITTEN),
        ("https://dte.example.cl/a b", WRITTEN),
        ("https://dte.example.cl/\r\nX: y", WRITTEN),
        ("https://good.example\\@evil.example/", WRITTEN),
        ("https://ñandú.cl/", WRITTEN),
        ("dte.example.cl/x", HOST),
        ("//dte.example.cl/x", HOST),
        ("ftp://dte.example.cl/x", HOST),
        ("file:///etc/passwd", HOST),
        ("https:///x", HOST),
        ("https://host:0/x", HOST),
        ("https://host:99999/x", NONE),
        ("https://[::1/x", NONE),
        ("http://dte.example.cl/x", PLAIN_HTTP),
        ("http://10.0.0.7/x", PLAIN_HTTP),
        ("http://localhost.example.cl/x", PLAIN_HTTP),
        ("http://127.0.0.1.example.cl/x", PLAIN_HTTP),
        ("https://user@host/x", SECRETS),
        ("https://user:word@host/x", SECRETS),
        ("https://:word@host/x", SECRETS),
        ("https://host/x#part", SECRETS),
        ("https://host/x#", SECRETS),
    ],
)
def test_forbidden_addresses_are_refused_with_the_reason_only(url: str, reason: str) -> None:
    with pytest.raises(TaxServiceAddressRefused) as refusal:
        check_address(url, ANY)
    assert refusal.value.reason == reason
    assert not url or url not in str(refusal.value)


@pytest.mark.parametrize(
    "url", ["https://DTE.example.cl/x", "https://dte.example.cl:8443/x", "http://127.0.0.1/x"]
)
def test_an_allowed_host_is_accepted_in_any_letter_case_and_port(url: str) -> None:
    check_address(url, frozenset({"Dte.Example.CL", "127.0.0.1"}))


@pytest.mark.parametrize(
    "url", ["https://evil.example/x", "https://a.dte.example.cl/x", "http://localhost/x"]
)
def test_a_host_outside_the_allowed_ones_is_refused(url: str) -> None:
    with pytest.raises(TaxServiceAddressRefused, match=r"is of a host that is not among the allowed ones$"):
        check_address(url, frozenset({"dte.example.cl"}))

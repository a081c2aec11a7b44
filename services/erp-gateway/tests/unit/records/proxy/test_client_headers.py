import pytest

from erp_gateway.records.proxy.client_headers import ClientHeaders, read_client_headers


def test_headers_unrelated_to_the_proxy_are_ignored() -> None:
    sent = [(b"host", b"x"), (b"prefer", b"odata.maxpagesize=0"), (b"x-http-method-override", b"DELETE")]
    assert read_client_headers(sent) == ClientHeaders(None, {})


@pytest.mark.parametrize("value", [b"no-cache", b"max-age=0 , NO-CACHE", b"no-store,no-cache"])
def test_the_no_cache_directive_is_recognized(value: bytes) -> None:
    assert read_client_headers([(b"cache-control", b"max-age=0"), (b"cache-control", value)]).no_cache


@pytest.mark.parametrize("value", [b"max-age=0", b"no-store", b'x="no-cache"', b"no-cachet", b""])
def test_other_cache_directives_are_ignored(value: bytes) -> None:
    assert read_client_headers([(b"cache-control", value)]) == ClientHeaders()


def test_repeated_headers_are_combined() -> None:
    sent = [(b"b1s-x", b"1"), (b"if-match", b"A"), (b"b1s-x", b"\xff"), (b"if-match", b"B"), (b"b1s-y", b"")]
    assert read_client_headers(sent) == ClientHeaders("A, B", {"b1s-x": ("1", "ÿ"), "b1s-y": ("",)})

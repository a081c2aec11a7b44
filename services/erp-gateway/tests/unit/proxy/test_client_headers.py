from erp_gateway.proxy.client_headers import ClientHeaders, read_client_headers


def test_headers_that_do_not_concern_the_proxy_are_not_looked_at() -> None:
    sent = [(b"host", b"x"), (b"prefer", b"odata.maxpagesize=0"), (b"x-http-method-override", b"DELETE")]
    assert read_client_headers(sent) == ClientHeaders(None, {})


def test_repeated_headers_are_all_kept() -> None:
    sent = [(b"b1s-x", b"1"), (b"if-match", b"A"), (b"b1s-x", b"\xff"), (b"if-match", b"B"), (b"b1s-y", b"")]
    assert read_client_headers(sent) == ClientHeaders("A, B", {"b1s-x": ("1", "ÿ"), "b1s-y": ("",)})

"""Cookies in raw headers."""

import pytest

from erpclient.http.cookies import find_cookie


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (("B1SESSION=abc-1;HttpOnly;",), "abc-1"),
        (("ROUTEID=.node1; path=/b1s", "B1SESSION=abc;HttpOnly;"), "abc"),
        (("B1SESSION = abc ; Secure; SameSite=None",), "abc"),
        (("B1SESSION=one;", "B1SESSION=two;"), "two"),
        (("B1SESSION=;HttpOnly;",), ""),
        (("B1SESSION=a b",), ""),
        (('B1SESSION=a"b',), ""),
        (("B1SESSION",), None),
        (("b1session=x", "XB1SESSION=y", "ROUTEID=.node1"), None),
        ((), None),
    ],
    ids=[
        "odd form",
        "second",
        "attributes",
        "twice",
        "taken back",
        "blank",
        "quote",
        "no value",
        "others",
        "none",
    ],
)
def test_cookies_are_found_in_raw_headers(headers: tuple[str, ...], expected: str | None) -> None:
    assert find_cookie(headers, "B1SESSION") == expected

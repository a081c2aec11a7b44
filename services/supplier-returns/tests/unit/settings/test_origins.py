import pytest

from supplier_returns.settings.origins import Origin, parse_origin


@pytest.mark.parametrize(
    ("text", "origin", "shown"),
    [
        ("http://a", Origin("http", "a", 80), "http://a"),
        ("HTTPS://A.Example:443", Origin("https", "a.example", 443), "https://a.example"),
        ("https://a:80", Origin("https", "a", 80), "https://a:80"),
        ("http://[::1]:3000", Origin("http", "[::1]", 3000), "http://[::1]:3000"),
    ],
)
def test_spellings_of_one_origin_are_equal(text: str, origin: Origin, shown: str) -> None:
    assert parse_origin(text) == origin
    assert str(origin) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "a",
        "http://",
        "http://a/",
        "ftp://a",
        "http://a:0",
        "http://a:65536",
        "http://u@a",
        "http://a b",
    ],
)
def test_other_texts_are_not_origins(text: str) -> None:
    assert parse_origin(text) is None

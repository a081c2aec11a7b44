"""The ready parsers: what each accepts, refuses and shows."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.config import (
    Parser,
    boolean,
    choice,
    csv,
    http_url,
    integer,
    networks,
    path,
    seconds,
    text,
    timezone,
)

PARSERS: dict[str, Parser[Any]] = {
    "text": text(max_length=5),
    "integer": integer(1, 65535),
    "seconds": seconds(0.5, 60),
    "boolean": boolean(),
    "choice": choice("json", "console"),
    "http_url": http_url(),
    "path": path(),
    "csv": csv(),
    "networks": networks(),
    "timezone": timezone(),
}


@pytest.mark.parametrize(
    ("name", "written", "shown"),
    [
        ("text", "ñandú", "ñandú"),
        ("integer", "1", "1"),
        ("integer", "65535", "65535"),
        ("seconds", "60", "60"),
        ("seconds", "0.5", "0.5"),
        ("seconds", "1.250", "1.25"),
        ("boolean", "true", "true"),
        ("boolean", "OFF", "false"),
        ("boolean", "1", "true"),
        ("choice", "console", "console"),
        ("http_url", "https://erp.example.com:50000/b1s/v1/", "https://erp.example.com:50000/b1s/v1"),
        ("http_url", "http://[::1]:8080", "http://[::1]:8080"),
        ("http_url", "http://10.0.0.1", "http://10.0.0.1"),
        ("path", "./data/app.sqlite", "data/app.sqlite"),
        ("csv", "ana, beto", "ana,beto"),
        ("networks", "10.0.0.0/8, ::1", "10.0.0.0/8,::1/128"),
        ("timezone", "America/Santiago", "America/Santiago"),
    ],
)
def test_an_allowed_text_is_parsed_and_shown_as_people_write_it(name: str, written: str, shown: str) -> None:
    parser = PARSERS[name]
    assert parser.show(parser.read(written)) == shown
    assert parser.show(parser.read(shown)) == shown


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("text", "abcdef"),
        ("text", "a\nb"),
        ("text", "a\u2028b"),
        ("integer", "0"),
        ("integer", "65536"),
        ("integer", "1_0"),
        ("integer", "1.0"),
        ("integer", "٣"),
        ("integer", "9" * 5000),
        ("seconds", "0.4"),
        ("seconds", "61"),
        ("seconds", "nan"),
        ("seconds", "1e1"),
        ("seconds", "-1"),
        ("boolean", "si"),
        ("choice", "JSON"),
        ("http_url", "ftp://a"),
        ("http_url", "https://"),
        ("http_url", "erp.example.com"),
        ("http_url", "https://user:password@erp.example.com"),
        ("http_url", "https://erp.example.com?x=1"),
        ("http_url", "https://erp.example.com#x"),
        ("http_url", "https://erp.example.com:99999"),
        ("http_url", "https://erp.example.com:0"),
        ("http_url", "https://erp example.com"),
        ("http_url", "https://[::1"),
        ("http_url", "https://a/\x01"),
        ("path", "a\x00b"),
        ("path", "~no-such-user-here/x"),
        ("csv", "a,,b"),
        ("csv", "a;b"),
        ("csv", "a,\x07"),
        ("networks", "10.0.0.1/8"),
        ("networks", "localhost"),
        ("timezone", "America"),
        ("timezone", "America/Nowhere"),
        ("timezone", "../../etc/passwd"),
    ],
)
def test_any_other_value_is_refused(name: str, written: str) -> None:
    with pytest.raises(ValueError):
        PARSERS[name].read(written)


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_describes_its_allowed_values(name: str) -> None:
    assert len(PARSERS[name].allowed) > 5


@pytest.mark.parametrize("name", PARSERS)
@given(written=st.text(max_size=80))
def test_a_parser_raises_only_value_errors(name: str, written: str) -> None:
    with suppress(ValueError):
        PARSERS[name].read(written)


def test_a_home_folder_is_expanded() -> None:
    assert path().read("~/x") == Path.home() / "x"

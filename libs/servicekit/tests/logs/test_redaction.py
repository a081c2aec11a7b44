"""The redaction processor: what it masks, what it leaves, and that texts can't forge lines."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typing_extensions import override

from servicekit.config import Secret
from servicekit.logs import Redaction, current_request, is_secret_name

SENTINEL = 'hunter2 "ñ\\ & more'


def redacted(**event: Any) -> dict[str, Any]:
    return dict(Redaction()(None, "info", event))


def redacted_with(secret: str, **event: Any) -> dict[str, Any]:
    return dict(Redaction([Secret(secret)])(None, "info", event))


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "Password",
        "erp_sl_password",
        "user-password",
        "passwd",
        "passphrase",
        "U_WEB_PASS",
        "pass",
        "pwd",
        "db_pwd",
        "client_secret",
        "token",
        "xAccessToken",
        "Authorization",
        "Cookie",
        "Set-Cookie",
        "credentials",
        "api_key",
        "apiKey",
        "X-API-Key",
        "private_key",
        "session_id",
        "SessionId",
        "clave",
        "contraseña",
        "Contrasena",
        "auth",
    ],
)
def test_a_value_under_a_secret_name_is_masked_at_any_depth(name: str) -> None:
    assert is_secret_name(name)
    event = redacted(**{name: "hunter2"}, body={"x": [{name: {"deep": "hunter2"}}]})
    assert event[name] == "***"
    assert event["body"] == {"x": [{name: "***"}]}


@pytest.mark.parametrize(
    "name", ["bypass", "passed", "compass", "author", "path", "user", "key", "route", "code"]
)
def test_other_names_are_not_redacted(name: str) -> None:
    assert redacted(**{name: "value"}) == {name: "value"}


def test_an_unset_secret_is_shown_as_none() -> None:
    assert redacted(token=None) == {"token": None}


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer hunter2",
        "header was 'bearer hunter2'",
        "Basic aHVudGVyMg== hunter2"[:20],
        "password=hunter2",
        "password = 'hunter2 hunter2'",
        'the body {"user": "ana", "password": "hunter2", "x": 1}',
        "repr {'U_WEB_PASS': 'hunter2'}",
        r"escaped {\"password\": \"hunter2\"}",
        "https://ana:hunter2@erp.example.com/x",
        "Cookie: B1SESSION=hunter2; ROUTEID=.hunter2",
        "set-cookie: dp_sid=hunter2; Path=/",
        "token_value: hunter2",
        "clave=hunter2&x=1",
        "api-key: hunter2",
        "contraseña: hunter2",
    ],
)
def test_secrets_inside_texts_are_masked(text: str) -> None:
    shown = redacted(event=text)["event"]
    assert "hunter2" not in shown
    assert "aHVud" not in shown
    assert "***" in shown


@pytest.mark.parametrize(
    "text",
    [
        "a basic order was created",
        "no passengers: 3",
        "GET /api/orders/{key}",
        "2026-01-31T10:00:00Z",
        "a = b: c",
    ],
)
def test_harmless_texts_stay_unchanged(text: str) -> None:
    shown = redacted(event=text)["event"]
    assert shown == text.replace("basic order", "basic ***")


@pytest.mark.parametrize(
    "written",
    [
        SENTINEL,
        f"failed with {SENTINEL} at the end",
        json.dumps({"x": SENTINEL}),
        repr({"x": SENTINEL}),
        f"https://x/?q={quote(SENTINEL, safe='')}",
    ],
)
def test_a_configured_secret_is_masked_anywhere_in_any_form(written: str) -> None:
    shown = json.dumps(
        redacted_with(SENTINEL, event=written, extra=[written], cause=ValueError(written)),
        ensure_ascii=False,
    )
    assert "hunter2" not in shown


def test_a_short_secret_does_not_mask_words() -> None:
    assert redacted_with("admin", event="admin signed in") == {"event": "admin signed in"}


class Planted:
    """Something whose repr tells all."""

    @override
    def __repr__(self) -> str:
        return "hunter2"


@attrs.frozen
class Credentials:
    inside: str = "hunter2"


@pytest.mark.parametrize("value", [Planted(), Credentials(), b"hunter2", memoryview(b"hunter2"), Planted])
def test_of_an_object_only_the_type_is_shown(value: Any) -> None:
    event = redacted(value=value, nested={"x": (value,)})
    assert event["value"] == f"<{type(value).__name__}>"
    assert "hunter2" not in str(event)


class Colour(Enum):
    RED = "red"


class Shade(StrEnum):
    DARK = "dark"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (1.5, 1.5),
        ("x", "x"),
        (Colour.RED, "red"),
        (Shade.DARK, "dark"),
        (Decimal("1.10"), "1.10"),
        (date(2026, 1, 31), "2026-01-31"),
        (datetime(2026, 1, 31, 10, tzinfo=UTC), "2026-01-31T10:00:00+00:00"),
        (Path("/a/b"), "/a/b"),
        (ip_address("::1"), "::1"),
        (ip_network("10.0.0.0/8"), "10.0.0.0/8"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Secret("hunter2"), "***"),
        (ValueError("no"), "ValueError: no"),
        (("a", ["b"]), ["a", ["b"]]),
        ({1: {"a"}}, {"1": ["a"]}),
    ],
)
def test_plain_values_are_shown(value: Any, shown: Any) -> None:
    assert redacted(value=value) == {"value": shown}


def test_redaction_stops_at_a_maximum_depth() -> None:
    deep: Any = "hunter2"
    for _ in range(50):
        deep = {"x": [deep]}
    assert "hunter2" not in str(redacted(value=deep))


@given(st.text())
@example("a\nb\r\x1b[31mc\u2028d\u202ee\x85f\x00")
@example("\ud800")
def test_no_text_can_begin_a_line_or_turn_the_terminal(text: str) -> None:
    shown = redacted(event=f"x {text}", keys={text: 1})
    for each in (shown["event"], *shown["keys"]):
        assert len(each.splitlines()) <= 1
        assert not set(each) & set("\x1b\x00\x07\u202e\u2066")
        each.encode("utf-8")


@pytest.mark.check
def test_a_long_text_is_cut_and_hides_a_secret_at_the_cut() -> None:
    text = "a" * (8 * 1024 - 5) + "SENTINEL-of-the-configuration" + "b" * 50_000
    shown = redacted_with("SENTINEL-of-the-configuration", event=text)["event"]
    assert len(shown) == 8 * 1024 + 1
    assert "SENT" not in shown


def test_redaction_time_is_proportional_to_the_text() -> None:
    for text in ("password" * 100_000, "a" * 1_000_000, "bearer " * 100_000, "x=" * 500_000, '"' * 500_000):
        redacted(event=text, exception=text)


@attrs.frozen
class FakeRequest:
    """A request context with two secrets of its own."""

    request_id: str = "id-1"
    traceparent: str | None = None

    def secret_values(self) -> Iterable[str]:
        return ("token-of-this-request", "clave del cuerpo", "")


@contextmanager
def in_a_request() -> Iterator[None]:
    token = current_request.set(FakeRequest())
    try:
        yield
    finally:
        current_request.reset(token)


TRACE = "Traceback:\n  File x\nKeyError: 'token-of-this-request'\nnote: clave del cuerpo\x1b[31m"


def test_a_stack_trace_keeps_its_lines_and_masks_request_secrets() -> None:
    with in_a_request():
        shown = redacted(exception=TRACE)["exception"]
    assert shown == "Traceback:\n  File x\nKeyError: '***'\nnote: ***\\x1b[31m"


def test_a_stack_trace_outside_of_a_request_is_masked_by_pattern() -> None:
    assert redacted(exception="ValueError: password=hunter2\nx")["exception"] == "ValueError: password=***\nx"


def test_a_very_long_stack_trace_keeps_its_end() -> None:
    shown = redacted(exception="\n".join(map(str, range(1000))))["exception"]
    assert shown.splitlines()[0] == "600"
    assert shown.splitlines()[-1] == "999"

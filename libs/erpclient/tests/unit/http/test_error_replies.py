"""Errors in replies, in both shapes of the Service Layer."""

import pytest
from error_replies import v1, v2

from erpclient import ErpError, HttpReply
from erpclient.errors import (
    MAX_TEXT,
    ErpRefused,
    ErpReplyUnreadable,
    ErpServerError,
    Outcome,
)
from erpclient.http.error_replies import find_error, key_is_unsupported, read_error, refuses_version


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (v1(400, -5002, "No"), (-5002, "No")),
        (v2(400, "-5002", "No"), (-5002, "No")),
        (v2(400, "SL-7", "No"), ("SL-7", "No")),
        (HttpReply(400, body=b'{"error":{"code":-10,"innererror":{},"message":{"value":"x"}}}'), (-10, "x")),
        (HttpReply(400, body=b'{"error":{"code":-10}}'), (-10, "")),
        (HttpReply(400, body=b'{"error":{"code":-10,"message":{"lang":"es"}}}'), (-10, "")),
        (HttpReply(400, body=b'{"error":{"code":-2028,"message":{"value":null}}}'), (-2028, "")),
        (HttpReply(400, body=b'{"error":{"message":null}}'), (None, "")),
        (HttpReply(400, body=b'{"error":"x"}'), (None, "")),
        (HttpReply(400, body=b'{"error":{"code":1.5}}'), (None, "")),
        (HttpReply(400, body=b"<html>"), (None, "")),
        (HttpReply(400, body=b'{"error":{"message":"\xff"}}'), (None, "")),
        (HttpReply(400, body=b'{"error":' + b"[" * 100_000), (None, "")),
        (HttpReply(400), (None, "")),
    ],
)  # fmt: skip
def test_errors_are_read_in_both_shapes(reply: HttpReply, expected: tuple[object, str]) -> None:
    assert read_error(reply) == expected


@pytest.mark.parametrize(
    ("reply", "cut_off"),
    [
        (v1(400, -10, "No"), False),
        (HttpReply(400, body=b' {"message":"\\ud83d"}'), False),
        (HttpReply(400, body=b"<html>"), False),
        (HttpReply(400), False),
        (HttpReply(400, body=b'{"error":{"code":-20'), True),
        (HttpReply(400, body=b"<html>", fault="truncated"), True),
        (HttpReply(400, fault="truncated"), True),
    ],
)
def test_a_refusal_records_whether_its_reply_was_complete(reply: HttpReply, cut_off: bool) -> None:
    error = find_error(reply)
    assert isinstance(error, ErpRefused)
    assert error.is_cut_off is cut_off
    assert error.without_traceback().is_cut_off is cut_off


def test_a_long_error_text_is_cut_in_the_middle() -> None:
    _, text = read_error(v1(400, -1, f"begin{'x' * 5000}end"))
    assert len(text) == MAX_TEXT
    assert text.startswith("beginx")
    assert "x…x" in text
    assert text.endswith("xend")


@pytest.mark.parametrize(
    ("reply", "kind", "outcome"),
    [
        (v1(400, -5002, "No"), ErpRefused, Outcome.NOT_DONE),
        (v2(412, "-2039", "Changed"), ErpRefused, Outcome.NOT_DONE),
        (HttpReply(404, body=b"<html>"), ErpRefused, Outcome.NOT_DONE),
        (HttpReply(429), ErpRefused, Outcome.NOT_DONE),
        (HttpReply(400, fault="truncated"), ErpRefused, Outcome.NOT_DONE),
        (v1(500, -1, "x"), ErpServerError, Outcome.UNKNOWN),
        (HttpReply(502, body=b"<html>"), ErpServerError, Outcome.UNKNOWN),
        (HttpReply(503, fault="truncated"), ErpServerError, Outcome.UNKNOWN),
        (HttpReply(302), ErpReplyUnreadable, Outcome.UNKNOWN),
        (HttpReply(200, fault="truncated"), ErpReplyUnreadable, Outcome.UNKNOWN),
        (HttpReply(200, "application/json;charset=iso-8859-1"), ErpReplyUnreadable, Outcome.UNKNOWN),
    ],
)
def test_each_error_reply_has_its_class_and_outcome(
    reply: HttpReply, kind: type[ErpError], outcome: Outcome
) -> None:
    error = find_error(reply)
    assert type(error) is kind
    assert error.outcome is outcome


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "application/json",
        "application/json;odata=minimalmetadata;charset=utf-8",
        'text/x; charset="UTF-8"',
    ],
)
def test_success_replies_are_not_errors(content_type: str) -> None:
    assert find_error(HttpReply(200, content_type)) is None
    assert find_error(HttpReply(204, content_type)) is None


@pytest.mark.parametrize(
    ("key", "reply", "expected"),
    [
        ("('A%2F1')", HttpReply(404, body=b"<html>"), True),
        ("('A%5c1')", HttpReply(404), True),
        ("('A%2F1')", v1(404, -2028, "No matching records found (ODBC -2028)"), False),
        ("('A1')", HttpReply(404, body=b"<html>"), False),
        ("('A%2F1')", HttpReply(400, body=b"<html>"), False),
        ("", HttpReply(404, body=b"<html>"), False),
    ],
)
def test_a_slash_in_the_key_explains_only_a_web_servers_own_404(
    key: str, reply: HttpReply, expected: bool
) -> None:
    assert key_is_unsupported(key, reply) is expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (v1(400, -1000, "Property 'DataVersion' of 'Item' is invalid"), True),
        (v2(400, "-1000", "Propiedad 'DataVersion' de 'Item' no válida"), True),
        (v1(400, -1000, "Property 'X' of 'Item' is invalid"), False),
        (v1(404, -1000, "Property 'DataVersion' of 'Item' is invalid"), False),
        (HttpReply(200, body=b'{"DataVersion": 1}'), False),
    ],
)
def test_an_erp_that_does_not_know_the_version_is_recognised(reply: HttpReply, expected: bool) -> None:
    assert refuses_version(reply) is expected

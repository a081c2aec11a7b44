"""Texts of failed inspections."""

import json

import pytest

from erpclient import ErpLoginRejected
from erpclient.http.login import read_login
from erpclient.http.messages import HttpReply
from erpclient.login_trouble import LoginTrouble, login_trouble
from erpdoctor.inspection.answers import Answer, ReadTrouble, read_trouble


def answer(status: int, code: int | None = None) -> Answer:
    body = b"" if code is None else json.dumps({"error": {"code": code, "message": {"value": "x"}}}).encode()
    return Answer(status, {}, body, 0.1, HttpReply(status, body=body))


@pytest.mark.parametrize(
    ("status", "body"), [(401, b"<html>proxy</html>"), (403, b"<html>firewall</html>"), (403, b"")]
)
def test_a_page_that_refuses_a_login_proves_nothing_about_the_password(status: int, body: bytes) -> None:
    """It stays a refused login for who repeats: nobody knows what stands behind the page."""
    with pytest.raises(ErpLoginRejected) as refused:
        read_login(HttpReply(status, "text/html", body=body))
    assert login_trouble(refused.value) is LoginTrouble.UNREADABLE


@pytest.mark.parametrize(
    ("body", "pong"), [(b'{"message":"pong"}', True), (b"<html>welcome</html>", False), (b"{}", False)]
)
def test_only_the_balancers_own_answer_is_a_pong(body: bytes, pong: bool) -> None:
    assert Answer(200, {}, body, 0.1, HttpReply(200, body=body)).pong is pong


@pytest.mark.parametrize(
    ("answered", "trouble"),
    [
        (answer(200), None),
        (answer(403, -6006), ReadTrouble.FORBIDDEN),
        (answer(401, 301), ReadTrouble.SESSION_LOST),
        (answer(400, -1002), ReadTrouble.MISSING),
        (answer(400, -1000), ReadTrouble.REFUSED),
        (answer(404), ReadTrouble.GATEWAY),
        (answer(502), ReadTrouble.GATEWAY),
        (answer(500, -1), ReadTrouble.REFUSED),
    ],
)
def test_a_read_without_records_has_a_reason(answered: Answer, trouble: ReadTrouble | None) -> None:
    assert read_trouble(answered) is trouble

"""Login calls, and answers to them."""

import json

import pytest
from error_replies import v1, v2

from erpclient import Credentials, HttpReply
from erpclient.errors import (
    ErpLoginRejected,
    ErpReplyUnreadable,
    ErpServerError,
)
from erpclient.http.login import login_call, read_login


def test_a_login_sends_company_user_password_and_optional_language() -> None:
    plain = login_call(Credentials("SBO", "manager", 'p"w'))
    assert json.loads(plain.body or b"") == {"CompanyDB": "SBO", "UserName": "manager", "Password": 'p"w'}
    spanish = login_call(Credentials("SBO", "manager", "pw", language=25))
    assert json.loads(spanish.body or b"")["Language"] == 25


def test_a_login_gives_the_session_and_the_route() -> None:
    grant = read_login(HttpReply(200, set_cookies=("B1SESSION=abc;HttpOnly;", "ROUTEID=.node1; path=/b1s")))
    assert (grant.session, grant.route) == ("abc", ".node1")


def test_a_login_without_route_is_accepted() -> None:
    assert read_login(HttpReply(200, set_cookies=("B1SESSION=abc;HttpOnly;",))).route is None


def test_a_login_without_cookie_takes_the_session_from_the_body() -> None:
    assert (
        read_login(HttpReply(200, body=b'{"SessionId" : "abc-1", "SessionTimeout" : 30}')).session == "abc-1"
    )


@pytest.mark.parametrize(
    "reply",
    [
        v1(401, 100000027, "Login failed"),
        v2(401, "-304", "Fail to get DB Credentials from SLD"),
        HttpReply(401, body=b"<html/>"),
        HttpReply(403),
        v1(500, 305, "Switch company error: -107"),
        v2(500, "305", "Switch company error: -8023."),
        v1(500, 305, "Error al cambiar de empresa: -132"),
        v1(500, 305, "Switch company error: -5027"),
        v1(200, 100000027, "Login failed"),
        v1(400, -1, "No"),
    ],
)
def test_refused_credentials_are_distinguished(reply: HttpReply) -> None:
    with pytest.raises(ErpLoginRejected):
        read_login(reply)


@pytest.mark.parametrize(
    "reply",
    [
        v1(500, 305, "Switch company error: -1102"),
        v1(401, -304, "Fail to Get the Bound Database Instance from SLD"),
        v1(500, 305, "Switch company error: -8007"),
        v1(500, 305, "Switch company error"),
        v1(500, -107, "-107"),
        HttpReply(502, body=b"<html>502 Proxy Error</html>"),
        HttpReply(500),
        v1(503, 1, "Service Unavailable"),
    ],
)
def test_a_temporary_login_error_is_not_a_refusal(reply: HttpReply) -> None:
    with pytest.raises(ErpServerError):
        read_login(reply)


@pytest.mark.parametrize(
    "reply",
    [
        HttpReply(200, body=b"<html>Welcome</html>"),
        HttpReply(200, body=b'{"SessionId" : ""}'),
        HttpReply(200, body=b'{"SessionId" : "\xff\xfe"}'),
        HttpReply(200, body=b'{"SessionId" : "a b"}'),
        HttpReply(200, body=b"[]"),
        HttpReply(200, fault="truncated"),
        HttpReply(404, body=b"<html>Not Found</html>"),
        HttpReply(302),
    ],
)
def test_a_login_without_a_session_or_a_refusal_cannot_be_read(reply: HttpReply) -> None:
    with pytest.raises(ErpReplyUnreadable):
        read_login(reply)

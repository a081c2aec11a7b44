"""Calls written as HTTP requests."""

import pytest

from erpclient import Caller, Credentials, HttpReply
from erpclient.http.calls import (
    create_call,
    record_call,
)
from erpclient.http.login import login_call, read_login
from erpclient.http.requests import build_request

ROOT = "http://10.0.0.1:50000/b1s/v1"


def test_a_request_carries_session_tracing_and_json_and_never_expects_a_continue() -> None:
    caller = Caller("ana", request_id="01J-x.y_z", traceparent=f"00-{'a' * 32}-{'b' * 16}-01")
    request = build_request(
        create_call("Orders", b"{}"),
        root=ROOT, cookie="B1SESSION=1", caller=caller, timeout_s=7.0, fresh=True,
    )  # fmt: skip
    assert request.url == f"{ROOT}/Orders"
    assert request.headers == {
        "Accept": "application/json",
        "Accept-Encoding": "gzip",
        "User-Agent": "erpclient",
        "Content-Type": "application/json",
        "Cookie": "B1SESSION=1",
        "X-Request-ID": "01J-x.y_z",
        "traceparent": f"00-{'a' * 32}-{'b' * 16}-01",
    }
    assert (request.timeout_s, request.fresh, request.body) == (7.0, True, b"{}")


@pytest.mark.parametrize("bad", ["", "a b", "a\r\nX: y", "é", "a" * 65])
def test_malformed_caller_ids_are_omitted(bad: str) -> None:
    caller = Caller("ana", request_id=bad, traceparent=bad)
    request = build_request(
        record_call("Items", "(1)", ""), root=ROOT, cookie=None, caller=caller, timeout_s=1, fresh=False
    )
    assert set(request.headers) == {"Accept", "Accept-Encoding", "User-Agent"}


def test_no_secret_shows_in_the_repr_of_a_request_or_a_reply() -> None:
    request = build_request(
        login_call(Credentials("SBO", "manager", "planted")),
        root=ROOT, cookie="B1SESSION=planted", caller=None, timeout_s=1, fresh=True,
    )  # fmt: skip
    reply = HttpReply(200, set_cookies=("B1SESSION=planted",), body=b"planted")
    call = login_call(Credentials("SBO", "manager", "planted"))
    assert "planted" not in repr(request) + repr(reply) + repr(read_login(reply)) + repr(call)

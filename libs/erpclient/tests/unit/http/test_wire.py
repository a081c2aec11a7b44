"""How requests are written and answers understood."""

import json

import pytest

from erpclient import Caller, Credentials, ErpError, HttpReply
from erpclient.errors import (
    MAX_TEXT,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyUnreadable,
    ErpServerError,
    Outcome,
)
from erpclient.http.wire import (
    Call,
    action_call,
    build_request,
    create_call,
    find_cookie,
    find_error,
    is_pong,
    key_filter_call,
    key_is_unsupported,
    list_call,
    login_call,
    modify_call,
    read_error,
    read_login,
    record_call,
    refuses_version,
    service_call,
)

ROOT = "http://10.0.0.1:50000/b1s/v1"


def v1(status: int, code: object, text: str) -> HttpReply:
    body = {"error": {"code": code, "message": {"lang": "en-us", "value": text}}}
    return HttpReply(status, body=json.dumps(body, indent=3, separators=(",", " : ")).encode() + b"\n")


def v2(status: int, code: object, text: str) -> HttpReply:
    body = {"error": {"code": code, "details": [{"code": "", "message": ""}], "message": text}}
    return HttpReply(status, body=json.dumps(body).encode())


@pytest.mark.parametrize(
    ("call", "method", "path", "headers", "write"),
    [
        (
            list_call("Items", "$top=5", page_size=5, case_insensitive=False),
            "GET", "/Items?$top=5", {"B1S-PageSize": "5"}, False,
        ),
        (
            list_call("Items", "$top=5", page_size=5, case_insensitive=True),
            "GET", "/Items?$top=5", {"B1S-PageSize": "5", "B1S-CaseInsensitive": "true"}, False,
        ),
        (record_call("Items", "('A%2F1')", ""), "GET", "/Items('A%2F1')", {}, False),
        (record_call("Items", "(5)", "$select=A"), "GET", "/Items(5)?$select=A", {}, False),
        (key_filter_call("Items", "$filter=x"), "GET", "/Items?$filter=x", {}, False),
        (create_call("Orders", b"{}"), "POST", "/Orders", {}, True),
        (
            modify_call("Orders", "(5)", b"{}", if_match='W/"A"', replace_collections=True),
            "PATCH", "/Orders(5)", {"If-Match": 'W/"A"', "B1S-ReplaceCollectionsOnPatch": "true"}, True,
        ),
        (
            modify_call("Orders", "(5)", b"{}", if_match=None, replace_collections=False),
            "PATCH", "/Orders(5)", {}, True,
        ),
        (
            action_call("Orders", "(5)", "Cancel", b"", if_match="*"),
            "POST", "/Orders(5)/Cancel", {"If-Match": "*"}, True,
        ),
        (service_call("S_Get", b"{}", write=False), "POST", "/S_Get", {}, False),
        (record_call("My Doc", "(1)", ""), "GET", "/My%20Doc(1)", {}, False),
    ],
)  # fmt: skip
def test_calls_are_written_as_the_service_layer_reads_them(
    call: Call, method: str, path: str, headers: dict[str, str], write: bool
) -> None:
    assert (call.method, call.path, call.headers, call.write) == (method, path, headers, write)


def test_an_action_without_a_body_sends_none() -> None:
    assert action_call("Orders", "(5)", "Close", b"", if_match=None).body is None
    assert action_call("Orders", "(5)", "Close", b"{}", if_match=None).body == b"{}"
    assert service_call("S_Get", b"", write=False).body is None


def test_a_login_names_company_user_and_password_and_the_language_if_one_is_set() -> None:
    plain = login_call(Credentials("SBO", "manager", 'p"w'))
    assert json.loads(plain.body or b"") == {"CompanyDB": "SBO", "UserName": "manager", "Password": 'p"w'}
    spanish = login_call(Credentials("SBO", "manager", "pw", language=25))
    assert json.loads(spanish.body or b"")["Language"] == 25


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
def test_malformed_ids_of_a_caller_are_left_out(bad: str) -> None:
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


def test_a_login_gives_the_session_and_the_route() -> None:
    grant = read_login(HttpReply(200, set_cookies=("B1SESSION=abc;HttpOnly;", "ROUTEID=.node1; path=/b1s")))
    assert (grant.session, grant.route) == ("abc", ".node1")


def test_a_login_without_a_route_is_as_good() -> None:
    assert read_login(HttpReply(200, set_cookies=("B1SESSION=abc;HttpOnly;",))).route is None


def test_a_login_whose_cookie_got_lost_is_read_from_the_body() -> None:
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
def test_credentials_that_are_refused_are_told_apart(reply: HttpReply) -> None:
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
def test_trouble_at_login_that_passes_is_no_refusal(reply: HttpReply) -> None:
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
def test_a_refusal_says_whether_it_came_whole(reply: HttpReply, cut_off: bool) -> None:
    error = find_error(reply)
    assert isinstance(error, ErpRefused)
    assert error.is_cut_off is cut_off
    assert error.again().is_cut_off is cut_off


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
def test_bad_answers_become_the_right_error_with_the_right_outcome(
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
def test_good_answers_are_no_error(content_type: str) -> None:
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


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"message":"pong","sender":"load balancer","timestamp":"1555998764.740"}', True),
        (b'{"message":"Service Unavailable"}', False),
        (b"{}", False),
        (b"<html>", False),
        ('{"message":"Página no encontrada"}'.encode("latin-1"), False),
        (b"[" * 100_000, False),
    ],
)
def test_a_pong_is_the_balancers_own(body: bytes, expected: bool) -> None:
    assert is_pong(HttpReply(200, body=body)) is expected

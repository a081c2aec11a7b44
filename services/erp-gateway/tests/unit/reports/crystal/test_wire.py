"""Requests to the report gateway and the meaning of its answers."""

import json
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.reports.crystal.wire import (
    MAX_JSON_BYTES,
    GatewayLogin,
    code_query,
    export_body,
    is_session_lost,
    is_true,
    read_authorized,
    read_login,
    read_parameters,
    wire_value,
)
from erp_gateway.values.parameters.declare import Interval, ReportParameter, Value
from erpclient import ErpError, ErpLoginRejected, ErpReplyUnreadable, HttpReply

COOKIES = ("Session=ab-1; Secure; HttpOnly", "Cookie=ab-1; Secure; HttpOnly")
GOOD_LOGIN = b'{"Version":"0.0.1","SessionTimeout":30}'


def reply(body: bytes | object, status: int = 200, cookies: tuple[str, ...] = ()) -> HttpReply:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return HttpReply(status, "application/json", None, cookies, sent)


def test_a_good_login_gives_both_cookies() -> None:
    assert read_login(reply(GOOD_LOGIN, cookies=COOKIES)) == "Session=ab-1; Cookie=ab-1"
    assert read_login(reply(GOOD_LOGIN, cookies=COOKIES[:1])) == "Session=ab-1; Cookie=ab-1"


@pytest.mark.parametrize(
    "refused",
    [
        reply({"code": -1, "message": {"lang": "en-us", "value": "Failed to login"}}),
        reply({"code": -1, "message": {"lang": "en-us", "value": "Failed to login"}}, cookies=COOKIES),
        reply({"code": -1, "message": "Failed to login"}, status=400),
        reply(b"", status=401),
        reply(b"", status=403),
    ],
)
def test_a_refused_login_is_recognised_by_its_body(refused: HttpReply) -> None:
    with pytest.raises(ErpLoginRejected):
        read_login(refused)


@pytest.mark.parametrize(
    "strange",
    [
        reply(GOOD_LOGIN),
        reply(b"{}", cookies=COOKIES),
        reply(GOOD_LOGIN, cookies=("Session=; Secure", "Cookie=a b")),
        reply(b"<html>", cookies=COOKIES),
        reply(b"[]", cookies=COOKIES),
        reply(GOOD_LOGIN, status=302, cookies=COOKIES),
    ],
)
def test_a_login_without_cookie_or_session_timeout_is_none(strange: HttpReply) -> None:
    with pytest.raises(ErpReplyUnreadable):
        read_login(strange)


def test_the_login_names_the_instance_only_where_there_is_one() -> None:
    assert json.loads(GatewayLogin("C", "u", "p").body()) == {
        "CompanyDB": "C",
        "UserName": "u",
        "Password": "p",
    }
    assert json.loads(GatewayLogin("C", "u", "p", "h:30013").body())["DBInstance"] == "h:30013"
    assert "hush" not in repr(GatewayLogin("C", "u", "hush"))


def test_the_catalogue_is_read() -> None:
    row = {"code": "RCRI0001", "name": "Lista", "root_name": "#1", "root_guid": "63"}
    (found,) = read_authorized(reply({"result": "Success", "resultSet": [row]}))
    assert (found.code, found.name) == ("RCRI0001", "Lista")


@pytest.mark.parametrize(
    "body",
    [{}, {"result": "Failure"}, {"result": "Success"}, {"result": "Success", "resultSet": [{"code": 1}]}, []],
)
def test_a_strange_catalogue_is_unreadable(body: object) -> None:
    with pytest.raises(ErpReplyUnreadable):
        read_authorized(reply(body))


def designed(**fields: Any) -> dict[str, Any]:
    return {
        "name": "Item@Select * from OITM",
        "type": "xsd:string",
        "description": "Artículo",
        "isOptionalPrompt": "false",
        "allowNullValue": "false",
        "allowMultiValue": "false",
        "valueRangeKind": "Discrete",
        "currentvalues": [],
        **fields,
    }


def test_flags_are_texts_and_the_text_false_is_false() -> None:
    found = read_parameters(reply({"error": False, "resultSet": [designed(allowNullValue="true")]}))
    assert found is not None
    (parameter,) = found
    assert parameter.allows_null
    assert not (parameter.is_optional)
    assert not (parameter.is_multiple)
    assert not (parameter.is_range)
    assert [is_true(flag) for flag in ("true", "True", True, "false", False, "", None, 1)] == [
        *(True, True, True),
        *(False, False, False, False, False),
    ]


def test_a_name_with_a_statement_is_kept_byte_for_byte() -> None:
    found = read_parameters(reply({"error": False, "resultSet": [designed()]}))
    assert found is not None
    assert found[0].name == "Item@Select * from OITM"


def test_no_report_is_an_empty_object() -> None:
    assert read_parameters(reply({})) is None
    assert read_parameters(reply({"error": False, "resultSet": []})) == ()


@pytest.mark.parametrize(
    "body",
    [
        {"error": True, "resultSet": []},
        {"error": "false", "resultSet": []},
        {"error": False},
        {"error": False, "resultSet": [designed(name="")]},
        {"error": False, "resultSet": [designed(type=None)]},
        {"error": False, "resultSet": [designed(name="\ud800")]},
        {"error": False, "resultSet": ["x"]},
    ],
)
def test_a_strange_list_of_parameters_is_unreadable(body: object) -> None:
    with pytest.raises(ErpReplyUnreadable):
        read_parameters(reply(body))


@pytest.mark.parametrize("stored", [["17"], [["17"]], [17], "17"])
def test_stored_values_are_found_however_deep_they_are(stored: object) -> None:
    found = read_parameters(reply({"error": False, "resultSet": [designed(currentvalues=stored)]}))
    assert found is not None
    assert found[0].stored == ("17",)


@pytest.mark.parametrize("depth", [900, 950, 5_000, 100_000])
def test_values_that_are_too_deep_are_read_or_refused(depth: int) -> None:
    rows = json.dumps([designed(currentvalues="HERE")]).replace('"HERE"', "[" * depth + '"17"' + "]" * depth)
    try:
        found = read_parameters(reply(f'{{"error": false, "resultSet": {rows}}}'.encode()))
    except ErpReplyUnreadable:
        return
    assert found is not None
    assert found[0].stored == ("17",)


def test_an_answer_that_would_take_long_to_read_is_refused() -> None:
    rows = [{"code": "RCRI0001", "name": "x" * 1000}] * (MAX_JSON_BYTES // 1000)
    with pytest.raises(ErpReplyUnreadable, match="too large"):
        read_authorized(reply({"result": "Success", "resultSet": rows}))


@given(st.binary(max_size=200) | st.from_regex(rb'\{"(error|result|code)":.{0,40}\}', fullmatch=True))
def test_any_reply_is_read_or_refused(body: bytes) -> None:
    for read in (read_login, read_authorized, read_parameters):
        with suppress(ErpError):
            read(reply(body, cookies=COOKIES))


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        ("A1", [["A1"]]),
        (Decimal(5), [["5"]]),
        (Decimal("1E+3"), [["1000"]]),
        (Decimal("10.50"), [["10.50"]]),
        (True, [["true"]]),
        (False, [["false"]]),
        (date(2026, 6, 7), [["2026-06-07"]]),
        (datetime(2026, 6, 7, 8, 5), [["2026-06-07T08:05:00"]]),  # noqa: DTZ001 - reports have no zones
        (Interval(date(2026, 6, 7), date(2026, 6, 13)), [["2026-06-07", "2026-06-13"]]),
        (("01", "02"), [["01"], ["02"]]),
    ],
)
def test_a_value_is_a_list_of_lists_of_texts(value: Value, wire: list[list[str]]) -> None:
    assert wire_value(value) == wire


def test_an_export_sends_parameters_with_a_value_in_order() -> None:
    parameters = [
        ReportParameter(name='Item Group@select "A" from OITB', type="xsd:string"),
        ReportParameter(name="Empty", type="xsd:string"),
        ReportParameter(name="Día", type="xsd:date"),
    ]
    body = export_body(parameters, {"Día": date(2026, 1, 2), 'Item Group@select "A" from OITB': "g"})
    assert json.loads(body) == [
        {"name": 'Item Group@select "A" from OITB', "type": "xsd:string", "value": [["g"]]},
        {"name": "Día", "type": "xsd:date", "value": [["2026-01-02"]]},
    ]


def test_a_code_is_encoded_as_one_value() -> None:
    assert code_query("A/1&x=2 ñ") == "DocCode=A%2F1%26x%3D2%20%C3%B1"


@pytest.mark.parametrize(
    "lost",
    [
        *(reply(b"", status) for status in (301, 302, 307, 401, 403)),
        reply(b"<!DOCTYPE html><html><title>Log On</title></html>"),
        reply(b'\xef\xbb\xbf\n<html><form><input type="PASSWORD"></form></html>', status=201),
        reply("<html><h1>Iniciar sesión</h1></html>".encode()),
        reply({"code": 301}),
        reply({"code": "301", "message": "x"}),
        reply({"error": {"code": 301, "message": {"lang": "en-us", "value": "Invalid session."}}}),
    ],
)
def test_a_lost_session_is_recognised_behind_a_200(lost: HttpReply) -> None:
    assert is_session_lost(lost)


@pytest.mark.parametrize(
    "kept",
    [
        reply(b"<html><h1>Out of memory</h1></html>"),
        reply({"code": 300}),
        reply({"error": False, "resultSet": []}),
        reply(b'{"code":301'),
        reply(b'{"code":' + b"[" * 60_000),
        reply(b"[301]"),
        reply(b"JVBERi0xLjMKbG9naW4="),
        reply(b"(---)"),
        reply(b'"Please log in"'),
        reply(b"<html>Log On</html>", status=404),
        reply(b" " * 70_000 + b'{"code":301}'),
    ],
)
def test_other_replies_do_not_end_the_session(kept: HttpReply) -> None:
    assert not is_session_lost(kept)

"""What the gateway's answers mean, and what is sent to it."""

import base64
import json
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.report_gateway.wire import (
    MAX_JSON_BYTES,
    ExportText,
    GatewayLogin,
    code_query,
    export_body,
    is_true,
    read_authorized,
    read_export,
    read_login,
    read_parameters,
    safe_text,
    wire_value,
)
from erp_gateway.report_parameters import Interval, ReportParameter, Value
from erpclient import ErpError, ErpLoginRejected, ErpReplyUnreadable, HttpReply

COOKIES = ("Session=ab-1; Secure; HttpOnly", "Cookie=ab-1; Secure; HttpOnly")
GOOD_LOGIN = b'{"Version":"0.0.1","SessionTimeout":30}'
PDF = b"%PDF-1.4\nhello"


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
def test_a_refused_login_is_told_by_its_body_and_not_by_its_status(refused: HttpReply) -> None:
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
def test_whatever_is_answered_is_read_or_refused(body: bytes) -> None:
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


def test_an_export_sends_what_has_a_value_in_the_order_of_the_parameters() -> None:
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


def test_base64_of_a_pdf_is_a_pdf() -> None:
    assert read_export(base64.b64encode(PDF)) == PDF
    assert read_export(b"\r\n" + base64.b64encode(PDF) + b"\n") == PDF


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"(---)", "(---)"),
        (b'"(---)"', "(---)"),
        (b"An error has occurred", "An error has occurred"),
        (b'"There is no default layout"', "There is no default layout"),
        (base64.b64encode(b"<html>"), ""),
        (b"%PDF-1.4 not base64", "%PDF-1.4 not base64"),
        (base64.b64encode(PDF).replace(b"R", b"R "), "JVBER i0xLjQKaGVsbG8="),
        (b"", ""),
        (b"Unparseable: \xff", "Unparseable: \ufffd"),
    ],
)
def test_anything_else_is_none(body: bytes, text: str) -> None:
    found = read_export(body)
    assert isinstance(found, ExportText)
    assert found.is_nothing == (text == "(---)")
    assert found.text == safe_text(text)


def test_a_sentence_that_decodes_by_chance_is_no_pdf() -> None:
    assert base64.b64decode("An error has occurred in.")  # without validation
    assert isinstance(read_export(b"An error has occurred in."), ExportText)
    assert isinstance(read_export(b"Errorcode123"), ExportText)  # strict base64, but of no PDF


@pytest.mark.parametrize(
    "text",
    [
        "<html>x</html>",
        '{"x":1}',
        "see http://10.0.0.5:60000/rs",
        "java.lang.NullPointerException",
        "at com.sap.b1.Report.run(Report.java:5)",
        "Error in SELECT * FROM OITM",
        "insert into OITM values (1)",
        "Failed: CALL SBO_DEMO (1)",
        "could not connect to hana01.corp.local:30015",
        "could not connect to hana01:30015",
        "Connection refused by 10.0.0.5",
        "mail manager@corp",
        r"C:\Program Files\SAP\order.rpt was not found",
        r"\\srv\reports is away",
        "/usr/sap/order was not found",
        "the layout order.rpt was not found",
        "a\x1b[31mb",
    ],
)
def test_texts_that_tell_too_much_are_not_passed_on(text: str) -> None:
    assert safe_text(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "An error has occurred while generating the PDF file.",
        "There is no default Crystal Report layout related to INV20002",
        "Error 12.5: la fecha (2026-01-31 10:30) no existe. Revise el informe.",
        "Please update the layout; call support.",
        "Valor/fecha incorrectos",
    ],
)
def test_sentences_for_people_are_passed_on(text: str) -> None:
    assert safe_text(text) == text


def test_a_long_text_is_cut_and_is_one_line() -> None:
    assert safe_text("a\n b") == "a b"
    assert len(safe_text("x" * 1000)) == 300

"""Faults in OData text, as people and programs read them."""

import pytest

from erp_gateway.web import odata_errors
from erp_gateway.web.odata_errors import odata_service_error
from erpclient.odata import (
    Hint,
    IntKey,
    ODataError,
    ODataErrorCode,
    OptionRules,
    parse_if_match,
    parse_list_query,
)
from erpclient.odata.errors import Expected


def error_of(query: str) -> ODataError:
    with pytest.raises(ODataError) as caught:
        parse_list_query(query, OptionRules())
    return caught.value


def test_every_odata_code_has_a_class_and_every_term_a_translation() -> None:
    for code in ODataErrorCode:
        assert odata_service_error(ODataError(code, "x")).code == code.value
    assert set(odata_errors._EXPECTED) == set(Expected)
    assert set(odata_errors._ADVICE) == set(Hint)


def test_programs_read_option_position_expected_and_found() -> None:
    answer = odata_service_error(error_of("$filter=DocDate ge 2024-01-01"))
    body = answer.body("01J")
    assert body["status"] == 400
    assert body["code"] == "odata_syntax"
    assert body["option"] == "$filter"
    assert isinstance(body["position"], int)
    assert "quoted date" in body["expected"]
    assert body["found"].startswith("2024")


def test_odata_errors_are_described_in_spanish() -> None:
    detail = odata_service_error(error_of("$filter=DocDate ge 2024-01-01")).detail
    assert detail.startswith("$filter, posición ")
    assert "Se esperaba " in detail
    assert "una fecha entre comillas simples" in detail
    assert "Escriba las fechas entre comillas, como '2024-01-31'." in detail


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("$top=501", "Se esperaba un número entero de 1 a 500. Se encontró: 501"),
        (
            "$top=0",
            "Con 0 el ERP dejaría de paginar y entregaría todo; para saber cuántos hay, pida $top=1, que",
        ),
        ("$skip=-1", "Se esperaba un número entero de 0 a "),
        ("$orderby=A/B", "No se puede filtrar ni ordenar por líneas o registros vinculados"),
    ],
)
def test_an_odata_error_names_the_range_and_the_impossible_value(query: str, text: str) -> None:
    assert text in odata_service_error(error_of(query)).detail


def test_absent_details_are_omitted() -> None:
    answer = odata_service_error(ODataError(ODataErrorCode.LIMIT, "too long"))
    assert answer.detail == "La opción supera un límite."
    assert not {"option", "position", "expected", "found"} & set(answer.body("01J"))


def test_expectations_are_joined_as_in_a_sentence() -> None:
    one = ODataError(ODataErrorCode.SYNTAX, "x", option="$top", expected=(Expected.INTEGER,))
    three = ODataError(
        ODataErrorCode.SYNTAX, "x", position=3, expected=(Expected.AND, Expected.OR, Expected.END), found="x"
    )
    assert odata_service_error(one).detail == (
        "$top: la opción no está bien escrita. Se esperaba un número entero de 1 a 500."
    )
    assert odata_service_error(three).detail == (
        "posición 3: la opción no está bien escrita. Se esperaba and, or o el final. Se encontró: x"
    )


def test_the_list_of_denied_names_is_never_shown() -> None:
    with pytest.raises(ODataError) as caught:
        parse_list_query(
            "$select=U_WEB_PASS", OptionRules(denied=frozenset({"U_WEB_PASS", "U_OTHER_SECRET"}))
        )
    assert "other_secret" not in str(odata_service_error(caught.value).body("01J")).lower()


def test_an_invalid_key_and_an_invalid_tag_have_their_own_codes() -> None:
    with pytest.raises(ODataError) as key:
        IntKey("DocEntry").predicate("abc")
    with pytest.raises(ODataError) as tag:
        parse_if_match("abc")
    assert odata_service_error(key.value).code == "key_bad_value"
    assert odata_service_error(tag.value).code == "if_match_bad_value"

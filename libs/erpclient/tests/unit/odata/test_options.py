"""Whole queries: taken apart, defaults, remembered, refused."""

import json
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpclient.odata import (
    DEFAULT_LIMITS,
    Dialect,
    InvalidOption,
    ListQuery,
    ODataError,
    ODataErrorCode,
    OptionRules,
    QueryLimits,
    RecordQuery,
    parse_list_query,
    parse_record_query,
)
from erpclient.odata.query_string import encode_value, split_options

RULES: Final = OptionRules(denied={"U_WEB_PASS", "Password"}, expand={"Warehouse"})


def hostile_queries() -> list[dict[str, Any]]:
    text = (Path(__file__).parent / "cases" / "hostile_queries.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


@pytest.mark.parametrize("case", hostile_queries(), ids=lambda case: case["why"])
@pytest.mark.parametrize("kind", [str, bytes])
def test_a_hostile_query_is_refused_at_the_position_of_its_fault(case: dict[str, Any], kind: type) -> None:
    raw = case["query"] if kind is str else case["query"].encode()
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query(raw, RULES)
    error = refusal.value
    assert (error.code, error.option, error.position) == (case["code"], case["option"], case["position"])
    assert len(error.message) < 300
    assert error.message.isprintable()


def test_a_query_with_every_option_is_read() -> None:
    query = parse_list_query(
        b"$filter=ItemCode%20eq%20%27A%2F1%27&$skip=100&%24top=20&$expand=Warehouse"
        b"&$orderby=ItemName+desc,ItemCode&$select=ItemCode,Warehouse/Street",
        RULES,
    )
    assert query == ListQuery(
        select=("ItemCode", "Warehouse/Street"),
        filter="ItemCode eq 'A/1'",
        orderby=("ItemName desc", "ItemCode"),
        expand=("Warehouse",),
        top=20,
        skip=100,
    )


def test_an_empty_query_means_the_defaults() -> None:
    assert parse_list_query(b"", RULES) == ListQuery(top=50, skip=0)
    assert parse_list_query("", RULES, QueryLimits(default_top=7)) == ListQuery(top=7)
    assert parse_record_query(b"", RULES) == RecordQuery()


@pytest.mark.parametrize(
    ("query", "top", "skip"),
    [
        ("$top=1", 1, 0),
        ("$top=500", 500, 0),
        ("$skip=0", 50, 0),
        ("$skip=2147483647&$top=10", 10, 2_147_483_647),
    ],
)
def test_top_and_skip_are_accepted_within_their_bounds(query: str, top: int, skip: int) -> None:
    assert parse_list_query(query, RULES) == ListQuery(top=top, skip=skip)


def test_a_record_query_accepts_only_select_and_expand() -> None:
    query = parse_record_query(b"$select=ItemCode,Warehouse/Street&$expand=Warehouse", RULES)
    assert query == RecordQuery(select=("ItemCode", "Warehouse/Street"), expand=("Warehouse",))
    for option in ("$filter=A eq 1", "$orderby=A", "$top=1", "$skip=1", "$apply=x"):
        with pytest.raises(InvalidOption) as refusal:
            parse_record_query(option, RULES)
        assert refusal.value.code == ODataErrorCode.UNKNOWN_OPTION
        assert refusal.value.option == option.split("=")[0]


def test_text_is_decoded_once() -> None:
    assert parse_list_query("$filter=A eq '%2527%2500%252F'", RULES).filter == "A eq '%27%00%2F'"


def test_a_plus_is_a_blank_and_an_escaped_plus_is_a_plus() -> None:
    assert parse_list_query("$filter=A+eq+'1%2B1+%2b'", RULES).filter == "A eq '1+1 +'"


def test_an_encoded_ampersand_stays_in_its_value() -> None:
    query = parse_list_query("$filter=A eq '%26$top=9999%23%3F%3D'", RULES)
    assert query == ListQuery(filter="A eq '&$top=9999#?='")


def test_text_and_bytes_give_the_same_query() -> None:
    assert parse_list_query("$filter=A eq 'ñ'", RULES) is parse_list_query("$filter=A eq 'ñ'".encode(), RULES)


@pytest.mark.parametrize("raw", [b"$filter=A eq '\xff'", b"\xff", "$filter=A eq '\udcff'", "\ud800=1"])
def test_invalid_unicode_is_refused(raw: bytes | str) -> None:
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query(raw, RULES)
    assert (refusal.value.code, refusal.value.option) == (ODataErrorCode.ENCODING, None)


def test_a_repeated_query_with_the_same_rules_is_parsed_once() -> None:
    raw = b"$filter=A eq 'remembered'&$select=A"
    again = OptionRules(denied={"password", "u_web_pass"}, expand=["Warehouse"])
    assert parse_list_query(raw, again) is parse_list_query(bytes(bytearray(raw)), RULES)
    record = b"$select=Remembered"
    assert parse_record_query(record, again) is parse_record_query(bytes(bytearray(record)), RULES)


def test_different_rules_or_limits_do_not_share_the_cache() -> None:
    raw = b"$select=Secret&$top=40"
    parse_list_query(raw, RULES)
    with pytest.raises(InvalidOption):
        parse_list_query(raw, OptionRules(denied={"Secret"}))
    with pytest.raises(InvalidOption):
        parse_list_query(raw, RULES, QueryLimits(max_top=39))


def test_memory_is_bounded() -> None:
    first = parse_list_query(b"$filter=A eq 'first'", RULES)
    for number in range(1_100):
        parse_list_query(f"$filter=A eq {number}", RULES)
    assert parse_list_query(b"$filter=A eq 'first'", RULES) is not first


def test_a_very_long_query_is_read_but_not_remembered() -> None:
    raw = ("$select=" + ",".join(f"N{number}" for number in range(100))).encode()
    limits = QueryLimits(cached_query_bytes=len(raw) - 1)
    assert parse_list_query(raw, RULES, limits) == parse_list_query(raw, RULES, limits)
    assert parse_list_query(raw, RULES, limits) is not parse_list_query(raw, RULES, limits)
    assert parse_record_query(raw, RULES, limits) is not parse_record_query(raw, RULES, limits)


def test_the_encoded_query_has_its_own_limit() -> None:
    fits = "$filter=A eq '" + "%C3%B1" * 100 + "'"
    limits = QueryLimits(encoded_bytes=660)
    assert len(parse_list_query(fits, RULES, limits).filter or "") == 107
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query(fits.replace("%C3%B1", "%C3%B1%C3%B1", 10), RULES, limits)
    assert (refusal.value.code, refusal.value.option) == (ODataErrorCode.LIMIT, None)


def test_a_short_query_that_grows_when_encoded_is_measured() -> None:
    limits = QueryLimits(encoded_bytes=660)
    raw = "$filter=A eq '" + "(" * 210 + "'"
    assert len(raw) < 240
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query(raw, RULES, limits)
    assert refusal.value.code == ODataErrorCode.LIMIT
    assert parse_list_query(raw.replace("(", "x"), RULES, limits).filter == "A eq '" + "x" * 210 + "'"


def test_default_options_count_towards_the_encoded_limit() -> None:
    assert parse_list_query("", RULES, QueryLimits(encoded_bytes=29)).top == 50
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query("", RULES, QueryLimits(encoded_bytes=28))
    assert refusal.value.code == ODataErrorCode.LIMIT


def test_the_raw_query_may_have_exactly_its_maximum_length() -> None:
    limits = QueryLimits(query_bytes=20)
    assert parse_list_query("$filter=A eq '12345'", RULES, limits).filter == "A eq '12345'"
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query("$filter=A eq '123456'", RULES, limits)
    assert refusal.value.code == ODataErrorCode.LIMIT


def test_a_byte_limit_counts_the_bytes_of_a_text_query() -> None:
    limits = QueryLimits(query_bytes=20)
    with pytest.raises(InvalidOption) as refusal:
        parse_list_query("$filter=A eq '1234ñ'", RULES, limits)
    assert refusal.value.code == ODataErrorCode.LIMIT


@given(st.text(st.characters(exclude_categories=["Cs"])))
@settings(max_examples=200, deadline=None)
def test_values_are_encoded_as_the_standard_library_does(text: str) -> None:
    assert encode_value(text) == quote(text, safe="")


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.sampled_from(["", "'()$,", "/:@!*;?"])
)
@settings(max_examples=200, deadline=None)
def test_values_are_decoded_as_the_standard_library_does(text: str, unescaped: str) -> None:
    raw = quote(text, safe=unescaped).replace("%20", "+" if len(text) % 2 else "%20")
    options = split_options(f"$filter={raw}".encode(), ("$filter",), DEFAULT_LIMITS)
    assert options == {"$filter": unquote_plus(raw, errors="strict")} == {"$filter": text}


RAW_PIECES: Final = [
    *[
        "$filter=",
        "$select=",
        "$orderby=",
        "$expand=",
        "$top=",
        "$skip=",
        "%24top=",
        "&",
        "&",
        "=",
        "+",
        "%",
        "%2",
    ],
    *[
        "A eq 1",
        "A%20eq%20%27x%27",
        "A",
        ",",
        "*",
        "Warehouse",
        "U_WEB_PASS",
        "5",
        "-1",
        "%27",
        "'",
        "%FF",
        "%C3%B1",
    ],
    *[
        "(",
        ")",
        " and ",
        "%00",
        "%0A",
        "ñ",
        "\x00",
        "\r\n",
        ";",
        "#",
        "?",
        "/",
        "%2525",
        "datetime'2024-02-30'",
    ],
]


def check_raw(raw: bytes) -> None:
    for parse in (parse_list_query, parse_record_query):
        try:
            query = parse(raw, RULES)
        except ODataError as refusal:
            check_refusal(refusal)
        else:
            check_wire_form(query.encode(Dialect.V1), raw)


def check_refusal(refusal: ODataError) -> None:
    assert refusal.message.isprintable()
    assert len(refusal.message) < 300


def check_wire_form(sent: str, raw: bytes) -> None:
    assert re.fullmatch(r"(\$[a-z]+=(?:[A-Za-z0-9_.~-]|%[0-9A-F]{2})+(?:&|$))*", sent)
    names = [option.split("=")[0] for option in sent.split("&") if option]
    assert len(set(names)) == len(names)
    assert len(sent) <= 3 * len(raw) + 64, "the estimate that spares short queries the measuring"


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_random_bytes_give_a_query_or_a_refusal(raw: bytes) -> None:
    check_raw(raw)


@given(st.lists(st.sampled_from(RAW_PIECES), max_size=16).map(lambda pieces: "".join(pieces).encode()))
@settings(max_examples=400, deadline=None)
def test_random_pieces_of_queries_give_a_query_or_a_refusal(raw: bytes) -> None:
    check_raw(raw)


@pytest.mark.proof
@given(
    st.binary(max_size=400)
    | st.lists(st.sampled_from(RAW_PIECES)).map(lambda pieces: "".join(pieces).encode())
)
@settings(max_examples=50_000, deadline=None)
def test_very_many_random_queries_give_a_query_or_a_refusal(raw: bytes) -> None:
    check_raw(raw)

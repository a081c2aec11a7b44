"""The types of `erpclient.odata`. mypy checks them; a run only shows that they import."""

from typing import assert_type

from erpclient.odata import (
    CompositeKey,
    DateKey,
    Dialect,
    EntityKey,
    Expected,
    Hint,
    IntKey,
    InvalidOption,
    ListQuery,
    ODataError,
    ODataErrorCode,
    OptionRules,
    QueryLimits,
    RecordQuery,
    StrKey,
    parse_if_match,
    parse_list_query,
    parse_record_query,
    quote_string,
)


def test_queries_and_their_texts() -> None:
    rules = OptionRules(expand={"Warehouse"}, denied=["Password"], extra_names=("2_ODOC",))
    assert_type(rules.expand, frozenset[str])
    assert_type(rules.denied, frozenset[str])
    query = parse_list_query(b"$select=A&$top=5", rules, QueryLimits(max_top=10))
    assert_type(query, ListQuery)
    assert_type(query.select, tuple[str, ...] | None)
    assert_type(query.filter, str | None)
    assert_type(query.orderby, tuple[str, ...])
    assert_type(query.top, int)
    assert_type(query.selects("A"), bool)
    assert_type(query.encode(Dialect.V1, add_select=("DataVersion",)), str)
    record = parse_record_query("$expand=Warehouse", rules)
    assert_type(record, RecordQuery)
    assert_type(record.encode(Dialect.V2, key_filter="A eq 1"), str)


def test_keys_tags_and_literals() -> None:
    key: EntityKey = CompositeKey((StrKey("TableName"), IntKey("FieldID"), DateKey("Day")))
    assert_type(key.filter("TableName='X',FieldID=1,Day='2024-01-31'"), str)
    for simple in (IntKey("DocEntry"), StrKey("ItemCode", max_length=50)):
        declared: EntityKey = simple
        assert_type(declared.predicate("5"), str)
    assert_type(parse_if_match("*"), str)
    assert_type(quote_string("O'Neil"), str)


def test_facts_of_a_refusal() -> None:
    refusal: ODataError = InvalidOption(ODataErrorCode.SYNTAX, "not understood")
    assert_type(refusal.code, ODataErrorCode)
    assert_type(refusal.message, str)
    assert_type(refusal.option, str | None)
    assert_type(refusal.position, int | None)
    assert_type(refusal.expected, tuple[Expected, ...])
    assert_type(refusal.found, str | None)
    assert_type(refusal.hint, Hint | None)

"""The filter language: what it takes, how it refuses, and that it selects what a plain predicate would."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erpsim.company.errors import SlError
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.row_types import RowType, RowTypes
from erpsim.facts import Facts
from erpsim.query.evaluation import compile_filter
from erpsim.query.filters import MAX_DEPTH, parse_filter

ROW: Fields = {
    "ItemCode": "O'HIGGINS-10",
    "ItemName": "Cañería 50% + codo",
    "ItemsGroupCode": 105,
    "QuantityOnStock": Decimal("12.5"),
    "ValidFrom": "2014-04-23",
    "UpdateTime": "18:38:00",
    "InventoryItem": "tYES",
    "ForeignName": None,
}


@pytest.fixture(scope="module")
def selects(row_type: RowType) -> Callable[..., bool]:
    def run(text: str, row: Mapping[str, Value] = ROW, *, case_insensitive: bool = False) -> bool:
        test = compile_filter(parse_filter(text, "Item"), row_type, case_insensitive=case_insensitive)
        return test(row) is True

    return run


@pytest.mark.parametrize(
    "text",
    [
        "ItemCode eq 'O''HIGGINS-10'",
        "ItemName eq 'Cañería 50% + codo'",
        "ItemsGroupCode eq 105",
        "ItemsGroupCode eq '105'",
        "ItemsGroupCode gt 104.5",
        "ItemsGroupCode ge -7 and ItemsGroupCode le 200",
        "QuantityOnStock eq 12.50",
        "QuantityOnStock gt '12'",
        "InventoryItem eq 'tYES'",
        "InventoryItem eq 'Y'",
        "InventoryItem ne 'tNO'",
        "InventoryItem gt 'tNO'",
        "SalesItem eq 'tYES'",
        "ValidFrom eq '2014-04-23'",
        "ValidFrom eq '20140423'",
        "ValidFrom eq datetime'2014-04-23'",
        "ValidFrom eq '2014-04-23T12:21:21'",
        "ValidFrom eq datetime'2014-04-23T00:00:00'",
        "ValidFrom lt '2014-04-24'",
        "UpdateTime eq '18:38'",
        "UpdateTime eq '183800'",
        "UpdateTime eq '18:38:59'",
        "UpdateTime eq '2014-04-23T18:38:00Z'",
        "ForeignName eq null",
        "ItemName ne null",
        "startswith(ItemCode,'O''')",
        "endswith( ItemCode , '-10' )",
        "contains(ItemName,'50%')",
        "substringof('ñer',ItemName)",
        "not (ItemsGroupCode eq 1)",
        "not ItemsGroupCode eq 1",
        "not not (ItemsGroupCode eq 105)",
        "((ItemsGroupCode eq 105))",
        "ItemsGroupCode eq 1 or ItemsGroupCode eq 2 or ItemsGroupCode eq 105",
        "ItemsGroupCode eq 105 or ItemsGroupCode eq 1 and ItemsGroupCode eq 2",
        "ItemCode ne ItemName",
        "ItemsGroupCode gt QuantityOnStock",
        "  ItemsGroupCode eq 105  ",
        "U_TEMPORADA eq null",
        "DataVersion eq 1",
    ],
)
def test_the_row_is_selected(selects: Callable[..., bool], text: str) -> None:
    assert selects(text)


@pytest.mark.parametrize(
    "text",
    [
        "ItemCode eq 'o''higgins-10'",
        "(ItemsGroupCode eq 105 or ItemsGroupCode eq 1) and ItemsGroupCode eq 2",
        "ForeignName ne 'x'",
        "not (ForeignName eq 'x')",
        "ForeignName eq 'x' or ForeignName ne 'x'",
        "ForeignName gt 'a'",
        "startswith(ForeignName,'')",
        "not startswith(ForeignName,'a')",
        "ForeignName eq ItemName",
        "ForeignName ne null",
        "ItemName eq null",
        "ItemsGroupCode lt 104.5",
        "InventoryItem lt 'tNO'",
    ],
)
def test_a_non_matching_row_is_not_selected(selects: Callable[..., bool], text: str) -> None:
    assert not selects(text)


@pytest.mark.parametrize(
    "text", ["ItemCode eq 'o''HIGGINS-10'", "contains(ItemName,'CAÑERÍA')", "ItemName gt 'CAÑERÍ'"]
)
def test_case_is_ignored_on_request(selects: Callable[..., bool], text: str) -> None:
    assert selects(text, case_insensitive=True)


INVALID_CONDITION = "Query string error - Invalid filter condition"


INVALID_SYMBOL = "Query string error - Invalid symbol in the filter condition"


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("ItemPrices/any(p:p/Price gt 1)", INVALID_SYMBOL),
        ("ItemPrices/any(p: p/Price gt 1)", INVALID_SYMBOL),
        ("ItemCode eq \u201cA\u201d", INVALID_SYMBOL),
        ("ItemsGroupCode eq 1 + 1", INVALID_SYMBOL),
        ("ItemsGroupCode = 1", INVALID_SYMBOL),
        ("Ítem eq 1", INVALID_SYMBOL),
        ("toupper(ItemCode) eq 'A'", "Property 'toupper' of 'Item' is invalid"),
        ("year(ValidFrom) eq 2014", "Property 'year' of 'Item' is invalid"),
        ("NoExiste eq 1", "Property 'NoExiste' is invalid"),
        ("itemcode eq 'A'", "Property 'itemcode' is invalid"),
        ("ItemPrices/Price eq 1", "Property 'ItemPrices/Price' is invalid"),
        ("ItemPrices eq null", "Property 'ItemPrices' is invalid"),
        ("ItemIntrastatExtension eq null", "Property 'ItemIntrastatExtension' is invalid"),
        ("ItemCode eq true", "Property 'true' is invalid"),
        ("startswith(NoExiste,'a')", "Property 'NoExiste' is invalid"),
        ("", INVALID_CONDITION),
        ("ItemCode", INVALID_CONDITION),
        ("ItemCode eq", INVALID_CONDITION),
        ("ItemCode EQ 'A'", INVALID_CONDITION),
        ("ItemCode in ('A')", INVALID_CONDITION),
        ("ItemsGroupCode add 1 eq 2", INVALID_CONDITION),
        ("ItemCode eq 'A", INVALID_CONDITION),
        ("(ItemCode eq 'A'", INVALID_CONDITION),
        ("ItemCode eq 'A')", INVALID_CONDITION),
        ("ItemCode eq 'A' ItemName eq 'B'", INVALID_CONDITION),
        ("1 eq 1", INVALID_CONDITION),
        ("ValidFrom ge 2014-04-23", INVALID_SYMBOL),
        ("ValidFrom ge 20140423", INVALID_CONDITION),
        ("ValidFrom ge '2014-02-31'", INVALID_CONDITION),
        ("ItemCode gt null", INVALID_CONDITION),
        ("ItemsGroupCode eq 'abc'", INVALID_CONDITION),
        ("QuantityOnStock eq '1,5'", INVALID_CONDITION),
        ("InventoryItem eq 'X'", INVALID_CONDITION),
        ("InventoryItem eq 1", INVALID_CONDITION),
        ("ItemCode eq datetime'2014-04-23'", INVALID_CONDITION),
        ("UpdateTime eq '25:00'", INVALID_CONDITION),
        ("UpdateTime eq 1838", INVALID_CONDITION),
        ("startswith(ItemCode)", INVALID_CONDITION),
        ("startswith('A',ItemCode)", INVALID_CONDITION),
        ("substringof(ItemCode,'A')", INVALID_CONDITION),
        ("contains(ItemsGroupCode,'1')", INVALID_CONDITION),
        ("contains(ItemCode,1)", INVALID_CONDITION),
        ("startswith(ItemCode,'A') eq true", INVALID_CONDITION),
        ("ItemCode eq ItemsGroupCode", INVALID_CONDITION),
        ("ItemCode eq ,", INVALID_CONDITION),
    ],
)
def test_an_invalid_filter_is_refused_with_the_erp_text(
    selects: Callable[..., bool], text: str, refusal: str
) -> None:
    with pytest.raises(SlError) as caught:
        selects(text)
    assert (caught.value.status, caught.value.code, caught.value.text) == (400, 201, refusal)


def test_deeply_nested_filters_are_refused_and_wide_ones_are_accepted(selects: Callable[..., bool]) -> None:
    condition = "ItemsGroupCode eq 105"
    assert selects("(" * (MAX_DEPTH - 1) + condition + ")" * (MAX_DEPTH - 1))
    assert selects(" or ".join(["ItemsGroupCode eq 1"] * 2000 + [condition]))
    for deep in ("(" * 5000 + condition + ")" * 5000, "not " * 5000 + condition):
        with pytest.raises(SlError):
            selects(deep)


def test_filtering_by_a_password_is_refused(row_type: RowType, facts: Facts) -> None:
    users = RowTypes(facts).of_set("Users")
    condition = parse_filter("startswith(UserPassword,'a')", "User")
    with pytest.raises(SlError, match="Property 'UserPassword' is invalid"):
        compile_filter(condition, users, hidden=frozenset({"UserPassword"}))


_NAMES = ("ItemCode", "ItemName", "ForeignName")


_texts = st.text(alphabet="aAbB'ñ%_ 0", max_size=4)


_numbers = st.integers(-3, 3)


_rows = st.fixed_dictionaries(
    {
        "ItemCode": _texts,
        "ItemName": st.none() | _texts,
        "ForeignName": st.none() | _texts,
        "ItemsGroupCode": _numbers,
        "QuantityOnStock": _numbers.map(lambda number: Decimal(f"{number}.5")),
        "InventoryItem": st.sampled_from(["tYES", "tNO"]),
    }
)


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
}


Known = bool | None


Predicate = Callable[[Mapping[str, Value]], Known]


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _text_leaf(name: str, op: str, text: str) -> tuple[str, Predicate]:
    def predicate(row: Mapping[str, Value]) -> Known:
        value = row[name]
        return None if value is None else _OPERATORS[op](value, text)

    return f"{name} {op} {_quote(text)}", predicate


def _number_leaf(op: str, number: int) -> tuple[str, Predicate]:
    return f"QuantityOnStock {op} {number}", lambda row: _OPERATORS[op](row["QuantityOnStock"], number)


def _call_leaf(function: str, name: str, text: str) -> tuple[str, Predicate]:
    methods: Mapping[str, Callable[[str, str], bool]] = {
        "startswith": lambda value, part: value.startswith(part),
        "endswith": lambda value, part: value.endswith(part),
        "contains": lambda value, part: part in value,
        "substringof": lambda value, part: part in value,
    }

    def predicate(row: Mapping[str, Value]) -> Known:
        value = row[name]
        return methods[function](value, text) if isinstance(value, str) else None

    arguments = f"{_quote(text)},{name}" if function == "substringof" else f"{name},{_quote(text)}"
    return f"{function}({arguments})", predicate


def _null_leaf(name: str, op: str) -> tuple[str, Predicate]:
    return f"{name} {op} null", lambda row: (row[name] is None) is (op == "eq")


_leaves = st.one_of(
    st.builds(_text_leaf, st.sampled_from(_NAMES), st.sampled_from(sorted(_OPERATORS)), _texts),
    st.builds(_number_leaf, st.sampled_from(sorted(_OPERATORS)), _numbers),
    st.builds(
        _call_leaf,
        st.sampled_from(["startswith", "endswith", "contains", "substringof"]),
        st.sampled_from(_NAMES),
        _texts,
    ),
    st.builds(_null_leaf, st.sampled_from(_NAMES), st.sampled_from(["eq", "ne"])),
)


def _both(left: tuple[str, Predicate], right: tuple[str, Predicate]) -> tuple[str, Predicate]:
    def predicate(row: Mapping[str, Value]) -> Known:
        known = (left[1](row), right[1](row))
        return False if False in known else None if None in known else True

    return f"({left[0]}) and ({right[0]})", predicate


def _either(left: tuple[str, Predicate], right: tuple[str, Predicate]) -> tuple[str, Predicate]:
    def predicate(row: Mapping[str, Value]) -> Known:
        known = (left[1](row), right[1](row))
        return True if True in known else None if None in known else False

    return f"({left[0]}) or ({right[0]})", predicate


def _negated(term: tuple[str, Predicate]) -> tuple[str, Predicate]:
    def predicate(row: Mapping[str, Value]) -> Known:
        known = term[1](row)
        return None if known is None else not known

    return f"not ({term[0]})", predicate


_filters = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds(_both, inner, inner), st.builds(_either, inner, inner), st.builds(_negated, inner)
    ),
    max_leaves=8,
)


@given(filtered=_filters, rows=st.lists(_rows, min_size=1, max_size=6))
@settings(max_examples=150, deadline=None)
def test_filters_match_a_plain_predicate(
    row_type: RowType, filtered: tuple[str, Predicate], rows: list[Fields]
) -> None:
    text, predicate = filtered
    test = compile_filter(parse_filter(text, "Item"), row_type)
    assert [test(row) for row in rows] == [predicate(row) for row in rows]


@given(text=st.text(alphabet="ItemCode eqandrnot()',:/1-.%ñ \t$'", max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_filter_or_a_refusal(row_type: RowType, text: str) -> None:
    refusal = None
    try:
        compile_filter(parse_filter(text, "Item"), row_type)({})
    except SlError as error:
        refusal = (error.status, error.code)
    assert refusal in {None, (400, 201)}

"""The published cases of OData's grammar: what lies inside our subset passes, everything else is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from erpclient.odata import ODataError, OptionRules, parse_list_query

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "abnf.jsonl").read_text(encoding="utf-8").splitlines()
]
WHOLE_QUERIES = {"filter", "orderby", "select", "expand", "queryOptions", "systemQueryOption"}
RULES = OptionRules(expand={"Items", "Customer", "Category", "Address", "Addresses", "Sales"})

INSIDE_THE_SUBSET = {
    "$filter=style eq 'Yellow'",
    "Size eq 4.0",
    "Street eq 'Hugo'",
    "Name ne 'Milk'",
    "Name gt 'Milk'",
    "Name ge 'Milk'",
    "Name lt 'Milk'",
    "Name le 'Milk'",
    "Name eq 'Milk'",
    "not endswith(Name,'ilk')",
    "(Name eq 'Milk')",
    "contains(CompanyName,'lfreds')",
    "endswith(CompanyName,'Futterkiste')",
    "startswith(CompanyName,'Futterkiste')",
    "$orderby=Name",
    "$orderby=Name asc,Rating,ReleaseDate desc",
    "$select=Rating,ReleaseDate",
    "$select=*",
    "$expand=Items",
    "$expand=Customer,Items",
    "$top=2&$orderby=Name",
    "$top=5&$skip=10",
}


def raw_query(case: dict[str, Any]) -> str:
    prefix = "" if case["rule"] in WHOLE_QUERIES else "$filter="
    return prefix + str(case["input"])


def is_accepted(case: dict[str, Any]) -> bool:
    try:
        parse_list_query(raw_query(case), RULES)
    except ODataError:
        return False
    return True


def test_exactly_the_cases_inside_the_subset_are_accepted() -> None:
    accepted = {case["input"] for case in CASES if is_accepted(case)}
    assert accepted == INSIDE_THE_SUBSET


def test_fourteen_conditions_and_no_bare_value_are_accepted() -> None:
    conditions = {"filter", "boolCommonExpr", "notExpr", "isofExpr", "anyExpr"}
    values = {"commonExpr", "firstMemberExpr", "propertyPathExpr"}
    assert sum(is_accepted(case) for case in CASES if case["rule"] in conditions) == 14
    assert sum(is_accepted(case) for case in CASES if case["rule"] in values) == 0


@pytest.mark.parametrize(
    "case", [case for case in CASES if not case["ok"]], ids=lambda case: f"{case['rule']}-{case['input']}"
)
def test_an_invalid_abnf_case_is_refused_no_later_than_its_fault(case: dict[str, Any]) -> None:
    with pytest.raises(ODataError) as refusal:
        parse_list_query(raw_query(case), RULES)
    position = refusal.value.position
    if position is None:  # the name of the option is refused already
        return
    option, equals, _ = raw_query(case).partition("=")
    before_value = len(option + equals) if case["rule"] in WHOLE_QUERIES else 0
    assert position + before_value <= case["fail_at"]


@pytest.mark.parametrize(("text", "position"), [("any()", 3), ("all(lambda:true)", 3)])
def test_a_lambda_call_without_collection_fails_at_the_abnf_position(text: str, position: int) -> None:
    with pytest.raises(ODataError) as refusal:
        parse_list_query(f"$filter={text}", RULES)
    assert refusal.value.position == position

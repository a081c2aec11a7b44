"""Questions about conditions: the ERP must read them as our grammar does."""

from typing import Final

from erpclient.http.messages import HttpReply
from erpclient.odata import quote_string
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import QuestionSkipped, either, refusal, rows, status

_CALLS: Final = {
    "contains": "contains(ItemCode,'x')",
    "endswith": "endswith(ItemCode,'x')",
    "startswith": "startswith(ItemCode,'x')",
    "substringof": "substringof('x',ItemCode)",
}


async def _items(fixture: Fixture, condition: str, **headers: str) -> HttpReply:
    options = {"$select": "ItemCode", "$filter": condition, "$top": "1"}
    return await fixture.get("Items", options, B1S_PageSize="1", **headers)


_QUOTED: Final = "conformance 'none'"


async def _finds_order(fixture: Fixture, condition: str) -> str:
    order = await fixture.first("Orders")
    options = {"$select": "DocEntry", "$filter": f"DocEntry eq {order['DocEntry']} and {condition}"}
    matches = rows(await fixture.get("Orders", options, B1S_PageSize="1"))
    return either([row.get("DocEntry") for row in matches] == [order["DocEntry"]], "found", "not-found")


@question(
    "Which of the four functions that our grammar lets through does `$filter` take?",
    expected="contains/endswith/startswith/substringof",
    source="SAP's manual 1.29, 3.6",
    breaks="searches with the missing function are refused by the ERP",
    switches=(
        "other_habits=no-substringof",
        "other_habits=empty-lists-are-404",
    ),
)
async def _filter_functions(fixture: Fixture) -> str:
    accepted = [name for name, call in _CALLS.items() if (await _items(fixture, call)).status == 200]  # noqa: PLR2004
    return "/".join(accepted) or "none"


@question(
    "Does `$filter` take `and`, `or`, `not` and parentheses?",
    expected="200",
    source="SAP's manual 1.29, 3.6",
    breaks="conditions that our grammar lets through are refused by the ERP",
    switches=("other_habits=conditions-without-not",),
)
async def _filter_logic(fixture: Fixture) -> str:
    condition = "not (ItemCode eq 'x') and (ItemCode ge 'a' or ItemCode lt 'b') and ItemCode ne 'c'"
    return status(await _items(fixture, condition))


@question(
    "Is a quote inside a text of a condition written twice?",
    expected="200/0",
    source="the OData protocol; SAP's manual 1.22, 3.7",
    breaks="texts with a quote end early, so users could inject conditions",
    switches=("other_habits=empty-lists-are-404",),
)
async def _quote_is_doubled_in_a_text(fixture: Fixture) -> str:
    reply = await _items(fixture, f"ItemCode eq {quote_string(_QUOTED)}")
    return f"{status(reply)}/{len(rows(reply))}"


@question(
    "Does a condition take `null`?",
    expected="200",
    source="SAP's manual 1.29, 3.6, an example",
    breaks="empty fields can't be searched for",
    switches=("other_habits=conditions-without-null",),
)
async def _null_is_a_bare_word(fixture: Fixture) -> str:
    return status(await _items(fixture, "ForeignName eq null"))


@question(
    "Does a condition on its key find a record?",
    expected="that-record",
    source="SAP's manual 1.22, 3.7",
    breaks="records whose key holds a slash can't be read where the web server refuses it",
)
async def _record_by_a_condition(fixture: Fixture) -> str:
    item = await fixture.first("Items")
    matches = rows(await _items(fixture, f"ItemCode eq {quote_string(item['ItemCode'])}"))
    return either([row.get("ItemCode") for row in matches] == [item["ItemCode"]], "that-record", "other")


@question(
    "Is a member of an enumeration written as a text with its name, as answers show it?",
    expected="found",
    source="SAP's manual 1.29, 3.6.3",
    breaks="open documents, active employees and the like can't be searched for",
)
async def _enum_by_its_name(fixture: Fixture) -> str:
    order = await fixture.first("Orders")
    return await _finds_order(fixture, f"DocumentStatus eq {quote_string(order['DocumentStatus'])}")


@question(
    "Does a condition take a date as a text, `'2026-03-31'`?",
    expected="found",
    source="SAP's manual 1.29, 3.6.4",
    breaks="periods can't be searched for",
)
async def _date_is_quoted(fixture: Fixture) -> str:
    order = await fixture.first("Orders")
    return await _finds_order(fixture, f"DocDate eq '{order['DocDate'][:10]}'")


@question(
    "Does a condition take `datetime'2026-03-31'`?",
    expected="found",
    source="SAP's manual 1.29, 3.6.4",
    breaks="programs that write dates so are refused by the ERP",
    switches=("other_habits=no-typed-dates",),
)
async def _date_with_its_type(fixture: Fixture) -> str:
    order = await fixture.first("Orders")
    return await _finds_order(fixture, f"DocDate eq datetime'{order['DocDate'][:10]}'")


@question(
    "Is an unknown property in a condition refused with 400 and code 201?",
    expected="400/201",
    source="a test suite run on a real system",
    breaks="returns do not see that their user fields are missing, and say something general",
    switches=("other_habits=condition-names-like-selected",),
)
async def _unknown_name_in_a_condition(fixture: Fixture) -> str:
    return refusal(await _items(fixture, "ConformanceNoSuchName eq 'x'"))


@question(
    "Does `B1S-CaseInsensitive` let a condition find a text in other letter case?",
    expected="found",
    source="SAP's manual 1.22, 3.19.5.4 (HANA; other databases do so always)",
    breaks="searches depend on letter case",
    switches=("other_habits=case-header-ignored",),
)
async def _letter_case_header(fixture: Fixture) -> str:
    codes = [str(item["ItemCode"]) for item in await fixture.rows("Items")]
    lettered = [code for code in codes if code.swapcase() != code]
    if not lettered:
        raise QuestionSkipped("no item with letters in its code among the first")
    condition = f"ItemCode eq {quote_string(lettered[0].swapcase())}"
    matches = rows(await _items(fixture, condition, B1S_CaseInsensitive="true"))
    return either(matches, "found", "not-found")


FILTER_QUESTIONS: Final = questions_in(globals())
"""In the order in which they run."""

"""Questions about lists, records, pages and refusals."""

import json
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from erpclient.http.calls import Call
from erpclient.http.error_replies import read_error
from erpclient.odata import Dialect, quote_string
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import question, questions_in
from erpdoctor.conformance.readings import (
    QuestionSkipped,
    either,
    fields,
    kind,
    one_of,
    refusal,
    rows,
    status,
)

_NOTHING: Final = "ItemCode eq 'conformance no such item'"
_NO_NAME: Final = "ConformanceNoSuchName"


async def _counted(fixture: Fixture) -> dict[str, Any]:
    counting = {"$count": "true"} if fixture.dialect is Dialect.V2 else {"$inlinecount": "allpages"}
    options = {"$select": "ItemCode", "$top": "1", **counting}
    return fields(await fixture.get("Items", options, B1S_PageSize="1"))


_QUOTED: Final = "conformance 'none'"


_MANUAL_READS: Final = "SAP's manual of the Service Layer 1.22, 3.7"


@question(
    "Are the rows of a list in an array `value`?",
    expected="array",
    source=_MANUAL_READS,
    breaks="no list can be read",
)
async def _rows_stand_in_value(fixture: Fixture) -> str:
    reply = await fixture.get("Items", {"$top": "1"}, B1S_PageSize="1")
    return kind(fields(reply).get("value"))


@question(
    "Is a list without matches a 200 without rows?",
    expected="200/0",
    source="the OData protocol, section on lists; relied on by every client",
    breaks="a search without matches looks like an error",
    switches=("other_habits=empty-lists-are-404",),
)
async def _empty_list_is_200(fixture: Fixture) -> str:
    reply = await fixture.get("Items", {"$filter": _NOTHING, "$top": "1"})
    return f"{reply.status}/{len(rows(reply))}"


@question(
    "Is the count of a list a text in v1 and a number in v2?",
    expected="text",
    expected_v2="number",
    source="SAP's manual 1.22, 3.7.7.7; a client library's correction for v2",
    breaks="no effect: both are read. Anything else makes lists unreadable",
    switches=("other_habits=count-of-the-other-kind",),
)
async def _inlinecount_is_text(fixture: Fixture) -> str:
    return kind((await _counted(fixture)).get(fixture.annotated("count")))


@question(
    "Is that count the number of all that match, not of the page?",
    expected="all",
    source="SAP's manual 1.22, 3.7.7.7",
    breaks="totals and pages of the front end are wrong; exports stop after one page",
    switches=("other_habits=count-of-the-page",),
)
async def _inlinecount_counts_all(fixture: Fixture) -> str:
    await fixture.two("Items")
    return either(str((await _counted(fixture)).get(fixture.annotated("count"))) != "1", "all", "page")


@question(
    "Does `B1S-PageSize` set the size of a page?",
    expected="honoured",
    source="SAP's manual 1.29, options for a single request",
    breaks="lists stop at 20 rows for any `$top`",
    switches=("other_habits=page-size-header-ignored",),
)
async def _page_size_header(fixture: Fixture) -> str:
    await fixture.two("Items")
    records = rows(await fixture.get("Items", {"$select": "ItemCode", "$top": "2"}, B1S_PageSize="1"))
    return either(len(records) == 1, "honoured", "ignored")


@question(
    "Does a page say that there are more rows, by a next link?",
    expected="present",
    source="SAP's manual 1.22, 3.7.6",
    breaks="a part of a stored query's rows would pass for all of them",
    switches=("other_habits=no-next-link",),
)
async def _next_link_while_more(fixture: Fixture) -> str:
    await fixture.two("Items")
    page = fields(await fixture.get("Items", {"$select": "ItemCode"}, B1S_PageSize="1"))
    return either(fixture.annotated("nextLink") in page, "present", "absent")


@question(
    "Does a next link begin at the web server's root in v1, and at the service's in v2?",
    expected="rooted",
    expected_v2="relative",
    source="SAP's manual 1.22, 3.7.6; captures of v2; code of clients for relative ones in v1",
    breaks="no effect: only its presence is read",
    switches=("other_habits=next-links-of-the-other-version",),
)
async def _next_link_form(fixture: Fixture) -> str:
    await fixture.two("Items")
    page = fields(await fixture.get("Items", {"$select": "ItemCode"}, B1S_PageSize="1"))
    link = page.get(fixture.annotated("nextLink"))
    if not isinstance(link, str):
        raise QuestionSkipped("pages carry no next link")
    return "absolute" if "://" in link else either(link.startswith("/"), "rooted", "relative")


@question(
    "Is a query option given twice refused?",
    expected="400",
    source="the OData protocol; unproven, and a Singer tap relies on the last one",
    breaks="no effect: the gateway refuses it itself",
    switches=("other_habits=repeated-options-pass",),
)
async def _repeated_option(fixture: Fixture) -> str:
    call = Call("GET", "Items", "/Items?$select=ItemCode&$top=1&$top=2")
    return str((await fixture.session.send(call)).status)


@question(
    "Does the last page have no next link?",
    expected="absent",
    source="SAP's manual 1.22, 3.7.6",
    breaks="stored queries count as incomplete for ever",
    switches=(
        "other_habits=empty-lists-are-404",
        "other_habits=next-link-always",
    ),
)
async def _no_next_link_at_the_end(fixture: Fixture) -> str:
    page = fields(await fixture.get("Items", {"$filter": _NOTHING}))
    return either(fixture.annotated("nextLink") in page, "present", "absent")


@question(
    "Does `$skip` leave out that many rows of the order asked for?",
    expected="second",
    source="SAP's manual 1.22, 3.7.6: a page is `$skip` and `$top`",
    breaks="pages of the front end and exports lose or repeat rows",
    switches=("other_habits=skip-ignored",),
)
async def _skip_counts_rows(fixture: Fixture) -> str:
    await fixture.two("Items")
    ordered = {"$select": "ItemCode", "$orderby": "ItemCode asc"}
    both = rows(await fixture.get("Items", {**ordered, "$top": "2"}, B1S_PageSize="2"))
    one = rows(await fixture.get("Items", {**ordered, "$top": "1", "$skip": "1"}, B1S_PageSize="1"))
    codes = [[row["ItemCode"] for row in records] for records in (both[1:], one)]
    return either(codes[0] == codes[1], "second", "other")


@question(
    "Does `$orderby` take `desc`?",
    expected="descending",
    source="SAP's manual 1.29, 3.6",
    breaks="the newest documents can't be listed first",
    switches=("other_habits=descending-ignored",),
)
async def _orderby_takes_desc(fixture: Fixture) -> str:
    options = {"$select": "DocEntry", "$orderby": "DocEntry desc", "$top": "3"}
    entries = [row["DocEntry"] for row in rows(await fixture.get("Orders", options, B1S_PageSize="3"))]
    return either(entries == sorted(entries, reverse=True), "descending", "other")


@question(
    "Does an answer to `$select` hold the selected names and no others?",
    expected="only-those",
    source="SAP's manual 1.29, 3.6",
    breaks="employees would come with salaries and passwords; they are taken out, and answers grow",
    switches=("other_habits=selection-ignored",),
)
async def _select_limits_the_answer(fixture: Fixture) -> str:
    reply = await fixture.get("Items", {"$select": "ItemCode", "$top": "1"}, B1S_PageSize="1")
    names = {name for row in rows(reply) for name in row if "odata." not in name}
    return either(names <= {"ItemCode"}, "only-those", "more")


@question(
    "Is a record that is not there a 404 with code -2028?",
    expected="404/-2028",
    source="a test suite run on a real system, both versions",
    breaks="a missing record looks like a failure: rebuilding metadata and lookups of writes stop",
    switches=("other_habits=missing-is-400",),
)
async def _missing_record_is_404(fixture: Fixture) -> str:
    return refusal(await fixture.get(f"Items({quote(quote_string('conformance no such item'))})"))


@question(
    "Is a record read by its key in parentheses, texts in single quotes?",
    expected="same",
    source="SAP's manual 1.29, 3.4",
    breaks="no single record can be read or changed",
)
async def _record_by_its_key(fixture: Fixture) -> str:
    item = await fixture.first("Items")
    record = fields(await fixture.get(f"Items({quote(quote_string(item['ItemCode']), safe='')})"))
    return either(record.get("ItemCode") == item["ItemCode"], "same", "other")


@question(
    "Is a key in other letter case the key of no record, and not of the same one?",
    expected="404/-2028",
    source="suspected to differ on SQL Server, whose usual collations ignore letter case",
    breaks="no effect: a record's history is found in whichever case its key was written; the same request "
    "under an idempotency key in another case counts as another one",
    switches=("other_habits=missing-is-400",),
)
async def _letter_case_tells_keys_apart(fixture: Fixture) -> str:
    for item in await fixture.rows("Items"):
        code = str(item["ItemCode"])
        if code.swapcase() != code:
            reply = await fixture.get(f"Items({quote(quote_string(code.swapcase()), safe='')})")
            code_read = fields(reply).get("ItemCode") if reply.status < HTTPStatus.MULTIPLE_CHOICES else None
            if code_read is None:
                return refusal(reply)
            return either(code_read == code, "same-record", "other-record")
    raise QuestionSkipped("no code of an item with a letter")


@question(
    "Is a quote inside a key written twice?",
    expected="404/-2028",
    source="the OData protocol; tests of SAP's own SDK",
    breaks="records whose code holds a quote can't be reached",
    switches=("other_habits=missing-is-400",),
)
async def _quote_is_doubled_in_a_key(fixture: Fixture) -> str:
    return refusal(await fixture.get(f"Items({quote(quote_string(_QUOTED), safe='')})"))


@question(
    "Is a percent-encoded key decoded once and not twice?",
    expected="404/-2028",
    source="the OData protocol; assumed of the Service Layer",
    breaks="a `%27` in a code would become a quote: a way to ask for another record",
    switches=(
        "other_habits=keys-decoded-twice",
        "other_habits=missing-is-400",
    ),
)
async def _key_is_decoded_once(fixture: Fixture) -> str:
    item = await fixture.first("Items")
    code = str(item["ItemCode"])
    twice = "".join(f"%25{ord(character):02X}" for character in code[:1]) + quote(code[1:], safe="")
    return refusal(await fixture.get(f"Items('{twice}')"))


@question(
    "Does an encoded slash in a key reach the ERP (and not a 404 of the web server before it)?",
    expected="404/-2028",
    source="unproven; Apache refuses it by default",
    breaks="such records are read by a condition; writing them is `upstream_key_unsupported`",
    switches=(
        "encoded_slash=false",
        "other_habits=missing-is-400",
    ),
)
async def _slash_in_a_key_passes(fixture: Fixture) -> str:
    return refusal(await fixture.get(f"Items({quote(quote_string('conformance/none'), safe='')})"))


@question(
    "Is an entity set that is not there a 400 (code 200 or -1002), and no 404?",
    expected="400",
    source="a test suite run on a real system",
    breaks="returns take user tables for visible that are not yet, or wait for ever",
    switches=("other_habits=unknown-sets-are-404",),
)
async def _unknown_set_is_400(fixture: Fixture) -> str:
    return str((await fixture.get("ConformanceNoSuchSet", {"$top": "1"})).status)


@question(
    "Does the refusal of an unknown property in `$select` (400, -1000) name it?",
    expected="400/-1000/named",
    source="refusals kept by two products",
    breaks="an ERP without `DataVersion` is not recognised, and no record can be read with a selection",
    switches=("other_habits=unknown-names-untold",),
)
async def _unknown_name_is_named(fixture: Fixture) -> str:
    reply = await fixture.get("Items", {"$select": _NO_NAME, "$top": "1"})
    return f"{refusal(reply)}/{either(_NO_NAME in read_error(reply)[1], 'named', 'unnamed')}"


@question(
    "Is a refusal's code a number and its message an object in v1, and both texts in v2?",
    expected="number/object",
    expected_v2="text/text",
    source="SAP's manual 1.22 and 1.29; captures of both versions",
    breaks="codes and texts of the ERP are not understood: everything becomes a general failure",
    switches=("other_habits=errors-of-the-other-shape",),
)
async def _refusals_have_two_shapes(fixture: Fixture) -> str:
    error = json.loads((await fixture.get("Items", {"$select": _NO_NAME, "$top": "1"})).body)["error"]
    return f"{kind(error.get('code'))}/{kind(error.get('message'))}"


@question(
    "Are answers UTF-8?",
    expected="utf-8",
    source="captured headers of both versions",
    breaks="answers in another encoding are refused as unreadable",
)
async def _answers_are_utf_8(fixture: Fixture) -> str:
    reply = await fixture.get("Items", {"$select": "ItemCode", "$top": "1"})
    charset = reply.content_type.lower().replace('"', "").partition("charset=")[2].partition(";")[0]
    return one_of(charset, ("", "utf-8", "utf8"), "utf-8")


@question(
    "Do dates in answers have a time, `2026-02-19T00:00:00Z`?",
    expected="utc-midnight",
    source="captures of newer builds; older ones answer `2026-02-19`",
    breaks="no effect: only the day is read",
    switches=("date_format=plain",),
)
async def _dates_have_a_time(fixture: Fixture) -> str:
    date = str((await fixture.first("Orders"))["DocDate"])
    forms = {"9999-99-99": "plain", "9999-99-99T99:99:99Z": "utc-midnight"}
    return forms.get("".join("9" if each.isdecimal() else each for each in date), "other")


@question(
    "Does an action of a service without arguments take no body at all?",
    expected="200",
    source="SAP's API reference; clients of v1 and v2",
    breaks="the company's name and settings can't be read",
    switches=("other_habits=services-want-bodies",),
)
async def _service_takes_no_body(fixture: Fixture) -> str:
    return status(await fixture.act("CompanyService_GetCompanyInfo"))


READING_QUESTIONS: Final = questions_in(globals())
"""In the order in which they run."""

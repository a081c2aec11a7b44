"""Questions about user tables, user objects and documents."""

from typing import Final

from erpclient.http.calls import service_call
from erpclient.odata import Dialect
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import Probe, Question, question, questions_in
from erpdoctor.conformance.readings import (
    QuestionSkipped,
    either,
    fields,
    kind,
    one_of,
    refusal,
    rows,
    status,
    tag_kind,
)

_OBJECT: Final = "LIB_ODEV"
_FENCE: Final = "U_LIB_CLAVE"
_RECEIPTS: Final = "PurchaseDeliveryNotes"
_RETURNS: Final = "PurchaseReturns"
_MOST_FIELDS: Final = 500
_NO_KEY: Final = "ODEV-0-0-conform"
_YES_NO: Final = ("tYES", "tNO")


async def check_installed(fixture: Fixture, entity_set: str) -> None:
    """Skip the question if the company lacks one of our entity sets."""
    reply = await fixture.get(entity_set, {"$top": "1"}, B1S_PageSize="1")
    if reply.status == 400:  # noqa: PLR2004 - not found
        raise QuestionSkipped(f"{entity_set} is not installed; rebuild the metadata first")


async def _planning(fixture: Fixture) -> dict[str, object]:
    await check_installed(fixture, _OBJECT)
    return await fixture.first(_OBJECT)


def _by_key(entity_set: str) -> Probe:
    async def probe(fixture: Fixture) -> str:
        await check_installed(fixture, _FENCE)
        options = {"$select": "DocEntry,U_LIB_Clave", "$filter": f"startswith(U_LIB_Clave,'{_NO_KEY}')"}
        reply = await fixture.get(entity_set, options)
        return f"{status(reply)}/{len(rows(reply))}"

    return probe


async def _series(fixture: Fixture) -> dict[str, object]:
    body = b'{"DocumentTypeParams":{"Document":"21","DocumentSubType":""}}'
    reply = await fixture.session.send(service_call("SeriesService_GetDocumentSeries", body, write=False))
    found = rows(reply)
    if not found:
        raise QuestionSkipped("no series of returns")
    return found[0]


_METADATA: Final = "metadata of v1 and v2"
_COMPANY: Final = "metadata of a company with user objects"
_MANUAL: Final = "SAP's manual 1.22, 3.15 and 3.16"


@question(
    "Is a user object an entity set of its code?",
    expected="200",
    source=_COMPANY,
    breaks="no planning can be read or kept",
    switches=("metadata_visible=after-restart",),
)
async def _object_by_its_code(fixture: Fixture) -> str:
    found = await fixture.get("UserObjectsMD('LIB_ODEV')", {"$select": "Code"})
    if found.status == 404:  # noqa: PLR2004 - not found
        raise QuestionSkipped("LIB_ODEV is not defined; rebuild the metadata first")
    return status(await fixture.get(_OBJECT, {"$select": "DocEntry", "$top": "1"}, B1S_PageSize="1"))


@question(
    "Are the rows of a user object the property `<table>Collection` of each child table?",
    expected="200",
    source=_COMPANY + "; the manual's samples say otherwise",
    breaks="plannings have no lines, allocations and documents",
)
async def _object_rows_by_table(fixture: Fixture) -> str:
    await check_installed(fixture, _OBJECT)
    options = {"$select": "DocEntry,LIB_DEV1Collection,LIB_DEV2Collection,LIB_DEV3Collection", "$top": "1"}
    return status(await fixture.get(_OBJECT, options, B1S_PageSize="1"))


@question(
    "Is `Status` of a user object `O` or `C`, and no member of an enumeration?",
    expected="letter",
    source=_COMPANY,
    breaks="closed plannings look open, or the other way round",
)
async def _object_status_is_a_letter(fixture: Fixture) -> str:
    return one_of((await _planning(fixture)).get("Status"), ("O", "C"), "letter")


@question(
    "Are the rows of a user object numbered by `LineId`?",
    expected="number",
    source=_COMPANY,
    breaks="changes of a planning hit other rows than meant",
)
async def _object_rows_have_line_id(fixture: Fixture) -> str:
    lines = (await _planning(fixture)).get("LIB_DEV1Collection")
    if not isinstance(lines, list) or not lines:
        raise QuestionSkipped("a planning without lines")
    return kind(lines[0].get("LineId"))


@question(
    "Does a user object carry no entity tag?",
    expected="none",
    source="annotations of a company's v2 metadata",
    breaks="nothing: plannings have a version of their own, because of this",
    switches=("other_habits=every-set-tagged",),
)
async def _object_has_no_tag(fixture: Fixture) -> str:
    return tag_kind(fixture.tag_in(await _planning(fixture)))


@question(
    "Is a user table without object an entity set `U_<table>` with the key `Code`?",
    expected="200",
    source=_MANUAL,
    breaks="there is no fence: `EXECUTION_FENCE=auto` does without it",
)
async def _user_table_by_prefix(fixture: Fixture) -> str:
    await check_installed(fixture, _FENCE)
    return status(await fixture.get(_FENCE, {"$select": "Code", "$top": "1"}, B1S_PageSize="1"))


@question(
    "Is a row that is not in a user table a 404 with code -2028?",
    expected="404/-2028",
    source="a test suite run on a real system",
    breaks="an unused key looks used, and uncertain returns stay uncertain",
    switches=("other_habits=missing-is-400",),
)
async def _missing_user_row_is_404(fixture: Fixture) -> str:
    await check_installed(fixture, _FENCE)
    return refusal(await fixture.get(f"{_FENCE}('CONFORMANCE-NONE')"))


@question(
    "Does `UserTablesMD` name tables without `@`?",
    expected="bare",
    source=_MANUAL,
    breaks="our tables count as missing, and creating them is refused",
)
async def _tables_are_named_bare(fixture: Fixture) -> str:
    names = [str(row.get("TableName")) for row in await fixture.rows("UserTablesMD")]
    return either(any(name.startswith("@") for name in names), "with-at", "bare")


@question(
    "Does `UserFieldsMD` name user tables with `@`?",
    expected="with-at",
    source=_MANUAL,
    breaks="our fields count as missing, and creating them is refused",
)
async def _fields_name_tables_with_at(fixture: Fixture) -> str:
    await check_installed(fixture, _FENCE)
    options = {"$select": "TableName,Name", "$filter": "TableName eq '@LIB_DEV1'", "$top": "1"}
    found = rows(await fixture.get("UserFieldsMD", options, B1S_PageSize="1"))
    return either(found, "with-at", "bare")


@question(
    "Is each user field that a return has found in `UserFieldsMD` under the table `ORPD`?",
    expected="found",
    source="SAP's manual 1.22: a field shows once for each table that shares it; unproven for returns",
    breaks="valid values of `RETURN_ASKED_FIELDS` are not offered, and our own fields count as missing",
)
async def _fields_of_returns_by_their_table(fixture: Fixture) -> str:
    names = {name.removeprefix("U_") for name in await fixture.first(_RETURNS) if name.startswith("U_")}
    if not names:
        raise QuestionSkipped("returns have no user fields")
    options = {"$select": "Name", "$filter": "TableName eq 'ORPD'"}
    reply = await fixture.get("UserFieldsMD", options, B1S_PageSize=str(_MOST_FIELDS))
    return either(names <= {row.get("Name") for row in rows(reply)}, "found", "elsewhere")


@question(
    "Is a definition that is not there a 404 with code -2028?",
    expected="404/-2028",
    source="a test suite run on a real system",
    breaks="`GET /metadata/status` fails on a company without our objects",
    switches=("other_habits=missing-is-400",),
)
async def _missing_definition_is_404(fixture: Fixture) -> str:
    return refusal(await fixture.get("UserObjectsMD('CONFORMANCE_NONE')"))


_RETURNS_BY_OUR_KEY: Final = Question(
    name="returns-by-our-key",
    asks="Can returns be found by the beginning of our user field `U_LIB_Clave`?",
    expected="200/0",
    source="the contract of this service; user fields in conditions: public clients",
    breaks="a return whose answer was lost is not found: it stays uncertain",
    switches=("other_habits=empty-lists-are-404",),
    probe=_by_key(_RETURNS),
)


_DRAFTS_BY_OUR_KEY: Final = Question(
    name="drafts-by-our-key",
    asks="Can drafts be found by the beginning of `U_LIB_Clave` too?",
    expected="200/0",
    source="a user field of one marketing document is one of all: SAP's manual 1.22",
    breaks="a return that waits for approval counts as failed, and may be posted again",
    switches=("other_habits=empty-lists-are-404",),
    probe=_by_key("Drafts"),
)


@question(
    "Does `Cancelled` of a document say `tYES` or `tNO`?",
    expected="yes-or-no",
    source=_METADATA,
    breaks="a cancelled return counts as one that stands",
    switches=("other_habits=yes-and-no-in-letters",),
)
async def _cancelled_is_yes_or_no(fixture: Fixture) -> str:
    return one_of((await fixture.first(_RECEIPTS)).get("Cancelled"), _YES_NO, "yes-or-no")


@question(
    "Does `CancelStatus` say `csNo`, `csYes` or `csCancellation`?",
    expected="one-of-three",
    source=_METADATA,
    breaks="the document that cancels a return is taken for a return",
)
async def _cancel_status_has_three_words(fixture: Fixture) -> str:
    words = ("csNo", "csYes", "csCancellation")
    return one_of((await fixture.first(_RECEIPTS)).get("CancelStatus"), words, "one-of-three")


@question(
    "Can `FolioNumber` of a return be selected?",
    expected="200",
    source=_METADATA,
    breaks="no tax document can be asked for",
)
async def _returns_have_folios(fixture: Fixture) -> str:
    options = {"$select": "DocEntry,FolioNumber", "$top": "1"}
    return status(await fixture.get(_RETURNS, options, B1S_PageSize="1"))


@question(
    "Does a series tell its number (`Series`, in v2 `SeriesProperty`)?",
    expected="number",
    source=_METADATA,
    breaks="no series can be chosen",
)
async def _series_have_numbers(fixture: Fixture) -> str:
    name = "SeriesProperty" if fixture.dialect is Dialect.V2 else "Series"
    return kind((await _series(fixture)).get(name))


@question(
    "Does `Locked` of a series say `tYES` or `tNO`?",
    expected="yes-or-no",
    source="six public programs; SAP's API reference",
    breaks="locked series are offered, and their returns refused",
)
async def _series_locked_is_yes_or_no(fixture: Fixture) -> str:
    return one_of((await _series(fixture)).get("Locked"), _YES_NO, "yes-or-no")


@question(
    "Does `CompanyService_GetAdminInfo` tell `AccuracyofQuantities` as a number?",
    expected="number",
    source=_METADATA,
    breaks="quantities can't be checked, and no planning is made",
    switches=("other_habits=services-want-bodies",),
)
async def _decimals_in_admin_info(fixture: Fixture) -> str:
    return kind(fields(await fixture.act("CompanyService_GetAdminInfo")).get("AccuracyofQuantities"))


@question(
    "Does `EnableBinLocations` of a warehouse say `tYES` or `tNO`?",
    expected="yes-or-no",
    source=_METADATA,
    breaks="returns from warehouses with bins are refused by the ERP instead of by us",
    switches=("other_habits=yes-and-no-in-letters",),
)
async def _warehouses_tell_of_bins(fixture: Fixture) -> str:
    return one_of((await fixture.first("Warehouses")).get("EnableBinLocations"), _YES_NO, "yes-or-no")


OBJECT_QUESTIONS: Final = questions_in(globals())
"""Questions in the order of the suite."""

"""What the returns count on about user tables, user objects and documents."""

from typing import Final

from erpclient.http.wire import service_call
from erpclient.odata import Dialect
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import Probe, Question
from erpdoctor.conformance.readings import (
    CannotAsk,
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
_NO_KEY: Final = "ODEV-0-0-conform"
_YES_NO: Final = ("tYES", "tNO")


async def _installed(fixture: Fixture, entity_set: str) -> None:
    reply = await fixture.get(entity_set, {"$top": "1"}, B1S_PageSize="1")
    if reply.status == 400:  # noqa: PLR2004 - not there
        raise CannotAsk(f"{entity_set} is not installed; rebuild the metadata first")


async def _by_code(fixture: Fixture) -> str:
    found = await fixture.get("UserObjectsMD('LIB_ODEV')", {"$select": "Code"})
    if found.status == 404:  # noqa: PLR2004 - not there
        raise CannotAsk("LIB_ODEV is not defined; rebuild the metadata first")
    return status(await fixture.get(_OBJECT, {"$select": "DocEntry", "$top": "1"}, B1S_PageSize="1"))


async def _children(fixture: Fixture) -> str:
    await _installed(fixture, _OBJECT)
    options = {"$select": "DocEntry,LIB_DEV1Collection,LIB_DEV2Collection,LIB_DEV3Collection", "$top": "1"}
    return status(await fixture.get(_OBJECT, options, B1S_PageSize="1"))


async def _planning(fixture: Fixture) -> dict[str, object]:
    await _installed(fixture, _OBJECT)
    return await fixture.first(_OBJECT)


async def _letter(fixture: Fixture) -> str:
    return one_of((await _planning(fixture)).get("Status"), ("O", "C"), "letter")


async def _line_id(fixture: Fixture) -> str:
    lines = (await _planning(fixture)).get("LIB_DEV1Collection")
    if not isinstance(lines, list) or not lines:
        raise CannotAsk("a planning without lines")
    return kind(lines[0].get("LineId"))


async def _untagged(fixture: Fixture) -> str:
    return tag_kind(fixture.tag_in(await _planning(fixture)))


async def _user_table(fixture: Fixture) -> str:
    await _installed(fixture, _FENCE)
    return status(await fixture.get(_FENCE, {"$select": "Code", "$top": "1"}, B1S_PageSize="1"))


async def _missing_row(fixture: Fixture) -> str:
    await _installed(fixture, _FENCE)
    return refusal(await fixture.get(f"{_FENCE}('CONFORMANCE-NONE')"))


async def _table_names(fixture: Fixture) -> str:
    names = [str(row.get("TableName")) for row in await fixture.rows("UserTablesMD")]
    return either(any(name.startswith("@") for name in names), "with-at", "bare")


async def _field_tables(fixture: Fixture) -> str:
    await _installed(fixture, _FENCE)
    options = {"$select": "TableName,Name", "$filter": "TableName eq '@LIB_DEV1'", "$top": "1"}
    found = rows(await fixture.get("UserFieldsMD", options, B1S_PageSize="1"))
    return either(found, "with-at", "bare")


async def _missing_object(fixture: Fixture) -> str:
    return refusal(await fixture.get("UserObjectsMD('CONFORMANCE_NONE')"))


def _by_key(entity_set: str) -> Probe:
    async def probe(fixture: Fixture) -> str:
        await _installed(fixture, _FENCE)
        options = {"$select": "DocEntry,U_LIB_Clave", "$filter": f"startswith(U_LIB_Clave,'{_NO_KEY}')"}
        reply = await fixture.get(entity_set, options)
        return f"{status(reply)}/{len(rows(reply))}"

    return probe


async def _cancelled(fixture: Fixture) -> str:
    return one_of((await fixture.first(_RECEIPTS)).get("Cancelled"), _YES_NO, "yes-or-no")


async def _cancel_status(fixture: Fixture) -> str:
    words = ("csNo", "csYes", "csCancellation")
    return one_of((await fixture.first(_RECEIPTS)).get("CancelStatus"), words, "one-of-three")


async def _folio(fixture: Fixture) -> str:
    options = {"$select": "DocEntry,FolioNumber", "$top": "1"}
    return status(await fixture.get("PurchaseReturns", options, B1S_PageSize="1"))


async def _series(fixture: Fixture) -> dict[str, object]:
    body = b'{"DocumentTypeParams":{"Document":"21","DocumentSubType":""}}'
    reply = await fixture.session.send(service_call("SeriesService_GetDocumentSeries", body, write=False))
    found = rows(reply)
    if not found:
        raise CannotAsk("no series of returns")
    return found[0]


async def _series_number(fixture: Fixture) -> str:
    name = "SeriesProperty" if fixture.dialect is Dialect.V2 else "Series"
    return kind((await _series(fixture)).get(name))


async def _series_locked(fixture: Fixture) -> str:
    return one_of((await _series(fixture)).get("Locked"), _YES_NO, "yes-or-no")


async def _decimals(fixture: Fixture) -> str:
    return kind(fields(await fixture.act("CompanyService_GetAdminInfo")).get("AccuracyofQuantities"))


async def _bins(fixture: Fixture) -> str:
    return one_of((await fixture.first("Warehouses")).get("EnableBinLocations"), _YES_NO, "yes-or-no")


_METADATA: Final = "metadata of v1 and v2"
_COMPANY: Final = "metadata of a company with user objects"
_MANUAL: Final = "SAP's manual 1.22, 3.15 and 3.16"

OBJECT_QUESTIONS: Final = (
    Question(
        name="object-by-its-code",
        asks="Is a user object an entity set of its code?",
        expected="200",
        source=_COMPANY,
        breaks="no planning can be read or kept",
        switches=("metadata_visible=after-restart",),
        probe=_by_code,
    ),
    Question(
        name="object-rows-by-table",
        asks="Are the rows of a user object the property `<table>Collection` of each child table?",
        expected="200",
        source=_COMPANY + "; the manual's samples say otherwise",
        breaks="plannings have no lines, allocations and documents",
        probe=_children,
    ),
    Question(
        name="object-status-is-a-letter",
        asks="Is `Status` of a user object `O` or `C`, and no member of an enumeration?",
        expected="letter",
        source=_COMPANY,
        breaks="closed plannings look open, or the other way round",
        probe=_letter,
    ),
    Question(
        name="object-rows-have-line-id",
        asks="Are the rows of a user object numbered by `LineId`?",
        expected="number",
        source=_COMPANY,
        breaks="changes of a planning hit other rows than meant",
        probe=_line_id,
    ),
    Question(
        name="object-has-no-tag",
        asks="Does a user object carry no entity tag?",
        expected="none",
        source="annotations of a company's v2 metadata",
        breaks="nothing: plannings have a version of their own, because of this",
        switches=("other_habits=every-set-tagged",),
        probe=_untagged,
    ),
    Question(
        name="user-table-by-prefix",
        asks="Is a user table without object an entity set `U_<table>` with the key `Code`?",
        expected="200",
        source=_MANUAL,
        breaks="there is no fence: `EXECUTION_FENCE=auto` does without it",
        probe=_user_table,
    ),
    Question(
        name="missing-user-row-is-404",
        asks="Is a row that is not in a user table a 404 with code -2028?",
        expected="404/-2028",
        source="a test suite run on a real system",
        breaks="an unused key looks used, and uncertain returns stay uncertain",
        switches=("other_habits=missing-is-400",),
        probe=_missing_row,
    ),
    Question(
        name="tables-are-named-bare",
        asks="Does `UserTablesMD` name tables without `@`?",
        expected="bare",
        source=_MANUAL,
        breaks="our tables count as missing, and creating them is refused",
        probe=_table_names,
    ),
    Question(
        name="fields-name-tables-with-at",
        asks="Does `UserFieldsMD` name user tables with `@`?",
        expected="with-at",
        source=_MANUAL,
        breaks="our fields count as missing, and creating them is refused",
        probe=_field_tables,
    ),
    Question(
        name="missing-definition-is-404",
        asks="Is a definition that is not there a 404 with code -2028?",
        expected="404/-2028",
        source="a test suite run on a real system",
        breaks="`GET /metadata/status` fails on a company without our objects",
        switches=("other_habits=missing-is-400",),
        probe=_missing_object,
    ),
    Question(
        name="returns-by-our-key",
        asks="Can returns be found by the beginning of our user field `U_LIB_Clave`?",
        expected="200/0",
        source="the contract of this service; user fields in conditions: public clients",
        breaks="a return whose answer was lost is not found: it stays uncertain",
        switches=("other_habits=empty-lists-are-404",),
        probe=_by_key("PurchaseReturns"),
    ),
    Question(
        name="drafts-by-our-key",
        asks="Can drafts be found by it too?",
        expected="200/0",
        source="a user field of one marketing document is one of all: SAP's manual 1.22",
        breaks="a return that waits for approval counts as failed, and may be posted again",
        switches=("other_habits=empty-lists-are-404",),
        probe=_by_key("Drafts"),
    ),
    Question(
        name="cancelled-is-yes-or-no",
        asks="Does `Cancelled` of a document say `tYES` or `tNO`?",
        expected="yes-or-no",
        source=_METADATA,
        breaks="a cancelled return counts as one that stands",
        switches=("other_habits=yes-and-no-in-letters",),
        probe=_cancelled,
    ),
    Question(
        name="cancel-status-has-three-words",
        asks="Does `CancelStatus` say `csNo`, `csYes` or `csCancellation`?",
        expected="one-of-three",
        source=_METADATA,
        breaks="the document that cancels a return is taken for a return",
        probe=_cancel_status,
    ),
    Question(
        name="returns-have-folios",
        asks="Can `FolioNumber` of a return be selected?",
        expected="200",
        source=_METADATA,
        breaks="no tax document can be asked for",
        probe=_folio,
    ),
    Question(
        name="series-have-numbers",
        asks="Does a series tell its number (`Series`, in v2 `SeriesProperty`)?",
        expected="number",
        source=_METADATA,
        breaks="no series can be chosen",
        probe=_series_number,
    ),
    Question(
        name="series-locked-is-yes-or-no",
        asks="Does `Locked` of a series say `tYES` or `tNO`?",
        expected="yes-or-no",
        source="six public programs; SAP's API reference",
        breaks="locked series are offered, and their returns refused",
        probe=_series_locked,
    ),
    Question(
        name="decimals-in-admin-info",
        asks="Does `CompanyService_GetAdminInfo` tell `AccuracyofQuantities` as a number?",
        expected="number",
        source=_METADATA,
        breaks="quantities can't be checked, and no planning is made",
        switches=("other_habits=services-want-bodies",),
        probe=_decimals,
    ),
    Question(
        name="warehouses-tell-of-bins",
        asks="Does `EnableBinLocations` of a warehouse say `tYES` or `tNO`?",
        expected="yes-or-no",
        source=_METADATA,
        breaks="returns from warehouses with bins are refused by the ERP instead of by us",
        switches=("other_habits=yes-and-no-in-letters",),
        probe=_bins,
    ),
)
"""In the order in which they are asked."""

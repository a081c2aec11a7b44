"""What the gateway counts on, beside what both services do."""

from http import HTTPStatus
from typing import Final

from erpclient.http.wire import service_call
from erpclient.odata import Dialect
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import Probe, Question
from erpdoctor.conformance.readings import CannotAsk, either, fields, kind, one_of, rows, status, tag_kind
from erpdoctor.conformance.shared import SHARED_QUESTIONS

_YES_NO: Final = ("tYES", "tNO")


async def _by_web_user(fixture: Fixture) -> str:
    options = {
        "$select": "EmployeeID,Active,U_WEB_USER",
        "$filter": "U_WEB_USER eq 'conformance no such user'",
        "$top": "1",
    }
    return status(await fixture.get("EmployeesInfo", options, B1S_PageSize="1"))


async def _active(fixture: Fixture) -> str:
    options = {"$select": "EmployeeID,Active", "$top": "1"}
    found = rows(await fixture.get("EmployeesInfo", options, B1S_PageSize="1"))
    if not found:
        raise CannotAsk("no record in EmployeesInfo")
    return one_of(found[0].get("Active"), _YES_NO, "yes-or-no")


async def _company_name(fixture: Fixture) -> str:
    return kind(fields(await fixture.act("CompanyService_GetCompanyInfo")).get("CompanyName"))


async def _series(fixture: Fixture, name: str) -> dict[str, object]:
    body = b'{"DocumentTypeParams":{"Document":"17","DocumentSubType":"--"}}'
    return fields(await fixture.session.send(service_call(name, body, write=False)))


async def _document_series(fixture: Fixture) -> str:
    return kind((await _series(fixture, "SeriesService_GetDocumentSeries")).get("value"))


async def _default_series(fixture: Fixture) -> str:
    name = "SeriesProperty" if fixture.dialect is Dialect.V2 else "Series"
    return kind((await _series(fixture, "SeriesService_GetDefaultSeries")).get(name))


async def _local_currency(fixture: Fixture) -> str:
    reply = await fixture.act("SBOBobService_GetLocalCurrency")
    if reply.status == HTTPStatus.OK and reply.body.lstrip().startswith(b'"'):
        return "text-alone"
    return kind(fields(reply).get("value"))


def _keyed(entity_set: str, name: str) -> Probe:
    async def probe(fixture: Fixture) -> str:
        first = await fixture.first(entity_set)
        found = fields(await fixture.get(f"{entity_set}({first.get(name)})", {"$select": name}))
        return either(found.get(name) == first.get(name), "number", "other")

    return probe


def _tag_of(entity_set: str, key: str) -> Probe:
    async def probe(fixture: Fixture) -> str:
        # The key alone: a partner's record holds a password, and which tag it is does not matter here.
        found = rows(await fixture.get(entity_set, {"$select": key, "$top": "1"}, B1S_PageSize="1"))
        if not found:
            raise CannotAsk(f"no record in {entity_set}")
        return tag_kind(fixture.tag_in(found[0]))

    return probe


async def _lines(fixture: Fixture) -> str:
    options = {"$select": "DocEntry,DocumentLines", "$top": "1"}
    await fixture.first("Orders")
    (order,) = rows(await fixture.get("Orders", options, B1S_PageSize="1"))
    return kind(order.get("DocumentLines"))


async def _no_expand(fixture: Fixture) -> str:
    return str((await fixture.get("Orders", {"$expand": "DocumentLines", "$top": "1"})).status)


async def _line_path(fixture: Fixture) -> str:
    return str(
        (await fixture.get("Orders", {"$filter": "DocumentLines/ItemCode eq 'x'", "$top": "1"})).status
    )


async def _drafts(fixture: Fixture) -> str:
    options = {"$select": "DocEntry", "$filter": "DocObjectCode eq 'oOrders'", "$top": "1"}
    return status(await fixture.get("Drafts", options, B1S_PageSize="1"))


_LIVE: Final = "tested by an integrator on Service Layer 1000340"
_METADATA: Final = "metadata of v1 and v2"

OWN_QUESTIONS: Final = (
    Question(
        name="employees-by-web-user",
        asks="Can employees be found by the user field `U_WEB_USER`?",
        expected="200",
        source="the contract of this service: two user fields of employees",
        breaks="nobody can sign in",
        switches=("other_habits=empty-lists-are-404",),
        probe=_by_web_user,
    ),
    Question(
        name="employee-active-is-a-word",
        asks="Does `Active` of an employee say `tYES` or `tNO`?",
        expected="yes-or-no",
        source=_METADATA,
        breaks="every employee counts as inactive, and nobody can sign in",
        switches=("other_habits=yes-and-no-in-letters",),
        probe=_active,
    ),
    Question(
        name="company-tells-its-name",
        asks="Does `CompanyService_GetCompanyInfo` tell `CompanyName`?",
        expected="text",
        source=_METADATA + "; SAP's API reference",
        breaks="people see the database's name instead",
        switches=("other_habits=services-want-bodies",),
        probe=_company_name,
    ),
    Question(
        name="series-of-a-document",
        asks="Does `SeriesService_GetDocumentSeries` answer an array for an object's number?",
        expected="array",
        source="SAP's API reference; six public programs",
        breaks="front ends can't offer numbering series",
        probe=_document_series,
    ),
    Question(
        name="default-series-of-a-document",
        asks="Does `SeriesService_GetDefaultSeries` answer one series with its number?",
        expected="number",
        source="SAP's API reference",
        breaks="front ends can't propose a series",
        probe=_default_series,
    ),
    Question(
        name="local-currency-in-value",
        asks="Does `SBOBobService_GetLocalCurrency` answer a text in `value`?",
        expected="text",
        source="SAP's API reference",
        breaks="front ends don't know the company's currency (`text-alone` is given on as it is)",
        switches=("other_habits=services-want-bodies", "other_habits=values-stand-bare"),
        probe=_local_currency,
    ),
    Question(
        name="journal-entries-by-number",
        asks="Is a journal entry read by `JdtNum`, a whole number?",
        expected="number",
        source=_METADATA,
        breaks="journal entries can neither be read nor cancelled",
        probe=_keyed("JournalEntries", "JdtNum"),
    ),
    Question(
        name="payments-by-entry",
        asks="Is a received payment read by `DocEntry`, a whole number?",
        expected="number",
        source=_METADATA,
        breaks="payments can neither be read nor cancelled",
        probe=_keyed("IncomingPayments", "DocEntry"),
    ),
    Question(
        name="lines-by-selection",
        asks="Do a document's lines come when `DocumentLines` is selected?",
        expected="array",
        source="SAP's manual 1.29, 3.6.11; seen by integrators",
        breaks="front ends have to read whole documents to see their lines",
        probe=_lines,
    ),
    Question(
        name="lines-can-not-be-expanded",
        asks="Is `$expand=DocumentLines` refused with 400?",
        expected="400",
        source=_LIVE,
        breaks="nothing: the registry declares no such expand",
        probe=_no_expand,
    ),
    Question(
        name="lines-can-not-be-filtered",
        asks="Is a path into lines refused in a condition with 400?",
        expected="400",
        source="two projects with live checks",
        breaks="nothing: our grammar has no paths in conditions",
        probe=_line_path,
    ),
    Question(
        name="tags-on-items",
        asks="Do items carry weak entity tags?",
        expected="weak",
        source="annotations of a company's v2 metadata",
        breaks="`If-Match` on items does nothing",
        switches=("entity_tags=false",),
        probe=_tag_of("Items", "ItemCode"),
    ),
    Question(
        name="tags-on-partners",
        asks="Do business partners carry weak entity tags?",
        expected="weak",
        source="annotations of a company's v2 metadata",
        breaks="`If-Match` on business partners does nothing",
        switches=("entity_tags=false",),
        probe=_tag_of("BusinessPartners", "CardCode"),
    ),
    Question(
        name="no-tags-on-warehouses",
        asks="Do warehouses carry no entity tags?",
        expected="none",
        source=_LIVE,
        breaks="`If-Match` on them is refused (`etag_unsupported`) without need",
        switches=("other_habits=every-set-tagged",),
        probe=_tag_of("Warehouses", "WarehouseCode"),
    ),
    Question(
        name="no-tags-on-journal-entries",
        asks="Do journal entries carry no entity tags?",
        expected="none",
        source="annotations of a company's v2 metadata",
        breaks="`If-Match` on them is refused (`etag_unsupported`) without need",
        switches=("other_habits=every-set-tagged",),
        probe=_tag_of("JournalEntries", "JdtNum"),
    ),
    Question(
        name="no-tags-on-payments",
        asks="Do received payments carry no entity tags?",
        expected="none",
        source="annotations of a company's v2 metadata",
        breaks="`If-Match` on them is refused (`etag_unsupported`) without need",
        switches=("other_habits=every-set-tagged",),
        probe=_tag_of("IncomingPayments", "DocEntry"),
    ),
    Question(
        name="drafts-by-their-kind",
        asks="Can drafts be found by the kind of document that they are for?",
        expected="200",
        source=_METADATA,
        breaks="the draft of a document that an approval procedure caught is not found",
        switches=("other_habits=empty-lists-are-404",),
        probe=_drafts,
    ),
    Question(
        name="approval-answers-no-match",
        asks="Is a document that an approval procedure catches refused with -2028, its draft stored?",
        expected="400/-2028",
        source="validated by an integrator on Service Layer 1000321",
        breaks="`maybe_in_approval` is not said, and the document is sent again: two drafts",
        switches=("approval_procedure=Orders",),
        unasked="it takes an approval procedure that catches this user's documents, and leaves a draft",
    ),
    Question(
        name="missing-right-is-403",
        asks="Is what the service's user may not do refused with 403 and code -6006?",
        expected="403/-6006",
        source="SAP's manual 1.29, 4.11",
        breaks="a missing right of the service's account looks like a fault of the request",
        switches=("forbidden_sets=Orders",),
        unasked="it takes a right that this user lacks",
    ),
    Question(
        name="payments-cancel-by-action",
        asks="Is a payment or journal entry cancelled by the action `Cancel`, with 204?",
        expected="204",
        source=_METADATA + "; SAP's API reference",
        breaks="they can't be cancelled through the gateway",
        unasked="it would post to the books",
    ),
)
"""In the order in which they are asked."""

QUESTIONS: Final[tuple[Question, ...]] = (*OWN_QUESTIONS, *SHARED_QUESTIONS)
"""All that `erp-gateway conformance` asks."""

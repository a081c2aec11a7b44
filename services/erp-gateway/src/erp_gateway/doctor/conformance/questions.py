"""Conformance questions about behavior that only the gateway relies on."""

import uuid
from functools import partial
from http import HTTPStatus
from typing import Final

from erpclient import CrossJoin, ErpRefused, JoinedPath
from erpclient.batch import ReadBatch
from erpclient.http.calls import service_call
from erpclient.odata import Dialect, ListQuery, SumQuery
from erpclient.odata.sums import COUNT, sum_name
from erpclient.reads import ListRead
from erpdoctor.conformance.fixture import TRIAL_SET, Fixture
from erpdoctor.conformance.question import Probe, Question, question, questions_in
from erpdoctor.conformance.readings import (
    QuestionSkipped,
    UnexpectedAnswer,
    either,
    fields,
    kind,
    one_of,
    refusal,
    rows,
    status,
    tag_kind,
)
from erpdoctor.conformance.shared import SHARED_QUESTIONS

_YES_NO: Final = ("tYES", "tNO")


async def _series(fixture: Fixture, name: str) -> dict[str, object]:
    body = b'{"DocumentTypeParams":{"Document":"17","DocumentSubType":"--"}}'
    return fields(await fixture.session.send(service_call(name, body, write=False)))


def _keyed(entity_set: str, name: str) -> Probe:
    async def probe(fixture: Fixture) -> str:
        first = await fixture.first(entity_set)
        found = fields(await fixture.get(f"{entity_set}({first.get(name)})", {"$select": name}))
        return either(found.get(name) == first.get(name), "number", "other")

    return probe


def _tag_of(entity_set: str, key: str) -> Probe:
    async def probe(fixture: Fixture) -> str:
        # Read the key only: the record of a partner contains a password.
        found = rows(await fixture.get(entity_set, {"$select": key, "$top": "1"}, B1S_PageSize="1"))
        if not found:
            raise QuestionSkipped(f"no record in {entity_set}")
        return tag_kind(fixture.tag_in(found[0]))

    return probe


_LIVE: Final = "tested by an integrator on Service Layer 1000340"
_METADATA: Final = "metadata of v1 and v2"
_ANNOTATIONS: Final = "annotations of a company's v2 metadata"


@question(
    "Can employees be found by the user field `U_WEB_USER`?",
    expected="200",
    source="the contract of this service: two user fields of employees",
    breaks="no user can sign in",
    switches=("other_habits=empty-lists-are-404",),
)
async def _employees_by_web_user(fixture: Fixture) -> str:
    options = {
        "$select": "EmployeeID,Active,U_WEB_USER",
        "$filter": "U_WEB_USER eq 'conformance no such user'",
        "$top": "1",
    }
    return status(await fixture.get("EmployeesInfo", options, B1S_PageSize="1"))


@question(
    "Does `Active` of an employee say `tYES` or `tNO`?",
    expected="yes-or-no",
    source=_METADATA,
    breaks="every employee counts as inactive, and no user can sign in",
    switches=("other_habits=yes-and-no-in-letters",),
)
async def _employee_active_is_a_word(fixture: Fixture) -> str:
    options = {"$select": "EmployeeID,Active", "$top": "1"}
    found = rows(await fixture.get("EmployeesInfo", options, B1S_PageSize="1"))
    if not found:
        raise QuestionSkipped("no record in EmployeesInfo")
    return one_of(found[0].get("Active"), _YES_NO, "yes-or-no")


@question(
    "Does `CompanyService_GetCompanyInfo` return `CompanyName`?",
    expected="text",
    source=_METADATA + "; SAP's API reference",
    breaks="people see the database's name instead",
    switches=("other_habits=services-want-bodies",),
)
async def _company_tells_its_name(fixture: Fixture) -> str:
    return kind(fields(await fixture.act("CompanyService_GetCompanyInfo")).get("CompanyName"))


@question(
    "Does `SeriesService_GetDocumentSeries` answer an array for an object's number?",
    expected="array",
    source="SAP's API reference; six public programs",
    breaks="front ends can't offer numbering series",
)
async def _series_of_a_document(fixture: Fixture) -> str:
    return kind((await _series(fixture, "SeriesService_GetDocumentSeries")).get("value"))


@question(
    "Does `SeriesService_GetDefaultSeries` answer one series with its number?",
    expected="number",
    source="SAP's API reference",
    breaks="front ends can't propose a series",
)
async def _default_series_of_a_document(fixture: Fixture) -> str:
    name = "SeriesProperty" if fixture.dialect is Dialect.V2 else "Series"
    return kind((await _series(fixture, "SeriesService_GetDefaultSeries")).get(name))


@question(
    "Does `SBOBobService_GetLocalCurrency` answer a text in `value`?",
    expected="text",
    source="SAP's API reference",
    breaks="front ends don't know the company's currency (`text-alone` is passed on unchanged)",
    switches=("other_habits=services-want-bodies", "other_habits=values-stand-bare"),
)
async def _local_currency_in_value(fixture: Fixture) -> str:
    reply = await fixture.act("SBOBobService_GetLocalCurrency")
    if reply.status == HTTPStatus.OK and reply.body.lstrip().startswith(b'"'):
        return "text-alone"
    return kind(fields(reply).get("value"))


_JOURNAL_ENTRIES_BY_NUMBER: Final = Question(
    name="journal-entries-by-number",
    asks="Is a journal entry read by `JdtNum`, a whole number?",
    expected="number",
    source=_METADATA,
    breaks="journal entries can neither be read nor cancelled",
    probe=_keyed("JournalEntries", "JdtNum"),
)


_PAYMENTS_BY_ENTRY: Final = Question(
    name="payments-by-entry",
    asks="Is a received payment read by `DocEntry`, a whole number?",
    expected="number",
    source=_METADATA,
    breaks="payments can neither be read nor cancelled",
    probe=_keyed("IncomingPayments", "DocEntry"),
)


@question(
    "Do a document's lines come when `DocumentLines` is selected?",
    expected="array",
    source="SAP's manual 1.29, 3.6.11; seen by integrators",
    breaks="front ends have to read whole documents to see their lines",
)
async def _lines_by_selection(fixture: Fixture) -> str:
    options = {"$select": "DocEntry,DocumentLines", "$top": "1"}
    await fixture.first("Orders")
    (order,) = rows(await fixture.get("Orders", options, B1S_PageSize="1"))
    return kind(order.get("DocumentLines"))


@question(
    "Is `$expand=DocumentLines` refused with 400?",
    expected="400",
    source=_LIVE,
    breaks="no effect: the registry declares no such expand",
)
async def _lines_can_not_be_expanded(fixture: Fixture) -> str:
    return str((await fixture.get("Orders", {"$expand": "DocumentLines", "$top": "1"})).status)


@question(
    "Is a path into lines refused in a condition with 400?",
    expected="400",
    source="two projects with live checks",
    breaks="no effect: our grammar has no paths in conditions",
)
async def _lines_can_not_be_filtered(fixture: Fixture) -> str:
    return str(
        (await fixture.get("Orders", {"$filter": "DocumentLines/ItemCode eq 'x'", "$top": "1"})).status
    )


_tagged: Final = partial(
    Question,
    expected="weak",
    source=_ANNOTATIONS,
    switches=("entity_tags=false",),
)
_untagged: Final = partial(
    Question,
    expected="none",
    source=_ANNOTATIONS,
    breaks="`If-Match` on them is refused (`etag_unsupported`) without need",
    switches=("other_habits=every-set-tagged",),
)
_TAGS_ON_ITEMS: Final = _tagged(
    name="tags-on-items",
    asks="Do items carry weak entity tags?",
    breaks="`If-Match` on items has no effect",
    probe=_tag_of("Items", "ItemCode"),
)


_TAGS_ON_PARTNERS: Final = _tagged(
    name="tags-on-partners",
    asks="Do business partners carry weak entity tags?",
    breaks="`If-Match` on business partners has no effect",
    probe=_tag_of("BusinessPartners", "CardCode"),
)


_NO_TAGS_ON_WAREHOUSES: Final = _untagged(
    name="no-tags-on-warehouses",
    asks="Do warehouses carry no entity tags?",
    source=_LIVE,
    probe=_tag_of("Warehouses", "WarehouseCode"),
)


_NO_TAGS_ON_JOURNAL_ENTRIES: Final = _untagged(
    name="no-tags-on-journal-entries",
    asks="Do journal entries carry no entity tags?",
    probe=_tag_of("JournalEntries", "JdtNum"),
)


_NO_TAGS_ON_PAYMENTS: Final = _untagged(
    name="no-tags-on-payments",
    asks="Do received payments carry no entity tags?",
    probe=_tag_of("IncomingPayments", "DocEntry"),
)


@question(
    "Can drafts be found by the kind of document that they are for?",
    expected="200",
    source=_METADATA,
    breaks="the draft of a document that an approval procedure caught is not found",
    switches=("other_habits=empty-lists-are-404",),
)
async def _drafts_by_their_kind(fixture: Fixture) -> str:
    options = {"$select": "DocEntry", "$filter": "DocObjectCode eq 'oOrders'", "$top": "1"}
    return status(await fixture.get("Drafts", options, B1S_PageSize="1"))


_CONTACTS_BY_INTERNAL_CODE: Final = Question(
    name="contacts-by-internal-code",
    asks="Is a partner's contact changed by its `InternalCode`, and one without it a new contact?",
    expected="changed",
    source="unproven; the recorded rules of addresses, which ask for four names, may hold here too",
    breaks="no effect: the console sends `CardCode`, `InternalCode` and `Name` together",
    switches=("other_habits=rows-without-keys-are-new",),
    unasked="it takes a change to a person's record",
)


_APPROVAL_ANSWERS_NO_MATCH: Final = Question(
    name="approval-answers-no-match",
    asks="Is a document that an approval procedure catches refused with -2028, its draft stored?",
    expected="400/-2028",
    source="validated by an integrator on Service Layer 1000321",
    breaks="`maybe_in_approval` is not said, and the document is sent again: two drafts",
    switches=("approval_procedure=Orders",),
    unasked="it takes an approval procedure that catches this user's documents, and leaves a draft",
)


_APPROVAL_INSIDE_A_CHANGE_SET: Final = Question(
    name="approval-inside-a-change-set",
    asks="Is the draft of a document that approval catches inside a change set undone with the set?",
    expected="no-draft",
    source="SAP's manual 1.22, 3.10; unproven for drafts",
    breaks="no effect: such a set is `maybe_in_approval` in either case, and no draft decides an unknown one",
    switches=("other_habits=drafts-outlive-change-sets",),
    unasked="it takes an approval procedure that catches this user's documents, and may leave a draft",
)


_ACTION_INSIDE_A_CHANGE_SET: Final = Question(
    name="action-inside-a-change-set",
    asks="Is an action such as `Cancel` inside a change set done and undone with the set?",
    expected="with-the-set",
    source="SAP's manual 1.29, 3.9, which cancels an order inside one",
    breaks="a change set that failed leaves a document cancelled or closed",
    switches=("other_habits=batches-keep-what-was-done",),
    unasked="it would cancel a document if the answer is no",
)


_MISSING_RIGHT_IS_403: Final = Question(
    name="missing-right-is-403",
    asks="Is a request without the right refused with 403 and code -6006?",
    expected="403/-6006",
    source="SAP's manual 1.29, 4.11",
    breaks="a missing right of the service's account looks like a fault of the request",
    switches=("forbidden_sets=Orders",),
    unasked="it takes a right that this user lacks",
)


_PAYMENTS_CANCEL_BY_ACTION: Final = Question(
    name="payments-cancel-by-action",
    asks="Is a payment or journal entry cancelled by the action `Cancel`, with 204?",
    expected="204",
    source=_METADATA + "; SAP's API reference",
    breaks="they can't be cancelled through the gateway",
    unasked="it would post to the books",
)


@question(
    "Does `Close` close an open document, and `Reopen` open it again, each with 204?",
    expected="204/bost_Close/204/bost_Open",
    source=_METADATA + "; SAP's manual 1.29 names the actions, not their effects",
    breaks="closing or reopening fails, or the console shows another state than the ERP has",
    switches=("other_habits=changes-are-200",),
    writes=True,
)
async def _document_closes_and_reopens(fixture: Fixture) -> str:
    reply = await fixture.create(TRIAL_SET, await fixture.trial_body())
    if status(reply) != "201":
        raise QuestionSkipped("the trial document is not created")
    path = f"{TRIAL_SET}({fields(reply)['DocEntry']})"
    words = []
    for action in ("Close", "Reopen"):
        words.append(status(await fixture.act(f"{path}/{action}")))
        found = fields(await fixture.get(path, {"$select": "DocEntry,DocumentStatus"}))
        words.append(str(found.get("DocumentStatus")))
    return "/".join(words)


_POSTED_DOCUMENT_CANCELLED_BY_ANOTHER: Final = Question(
    name="posted-document-cancelled-by-another",
    asks="Does `CreateCancellationDocument` of a delivery answer 200 with the new document?",
    expected="200",
    source=_METADATA + "; likely",
    breaks="the person sees that it is done, without the number of the new document",
    unasked="it would post to stock and accounts",
)


def _lines_of_orders(entry: object) -> CrossJoin:
    lines = "Orders/DocumentLines"
    condition = f"Orders/DocEntry eq {lines}/DocEntry and Orders/DocEntry eq {entry}"
    return CrossJoin((JoinedPath("Orders", ("DocEntry",)), JoinedPath(lines, ("LineNum",))), condition, 5)


@question(
    "Does `QueryService_PostQuery` join a document with its lines, each row with a member for each path?",
    expected="by-path",
    source="SAP's manual 1.22, 3.7.10; SAP's blog on row level filters",
    breaks="the flow of a document does not show its follow-up documents, and says so (`isComplete`)",
    switches=("query_service=false",),
)
async def _query_service_joins_lines(fixture: Fixture) -> str:
    entry = (await fixture.first("Orders")).get("DocEntry")
    found = rows(await fixture.session.send(_lines_of_orders(entry).to_call()))
    return either(bool(found) and set(found[0]) == {"Orders", "Orders/DocumentLines"}, "by-path", "other")


@question(
    "Are several reads in one `$batch` answered one by one, also those of the query service?",
    expected="2",
    source="SAP's manual 1.29, 3.9; unproven for the query service",
    breaks="the flow of a document shows only the document, and says so (`isComplete`)",
    switches=("query_service=false",),
)
async def _reads_in_a_batch(fixture: Fixture) -> str:
    entry = (await fixture.first("Orders")).get("DocEntry")
    query = ListQuery(select=("DocEntry",), filter=f"DocEntry eq {entry}", top=1)
    one = ListRead("Orders", query, is_tagged=False, hidden=frozenset(), ignores_case=False)
    batch = ReadBatch((one, _lines_of_orders(entry)))
    call = batch.to_call(dialect=fixture.dialect, root_path=fixture.session.root_path, guid=str(uuid.uuid4()))
    reply = await fixture.session.send(call)
    if reply.status >= HTTPStatus.BAD_REQUEST:
        raise UnexpectedAnswer(refusal(reply))
    results = batch.read_results(reply.body, reply.content_type)
    return str(sum(not isinstance(result, ErpRefused) for result in results))


@question(
    "Does an invoice have its paid amount (`PaidToDate`)?",
    expected="number",
    source="clients that read it from live systems; not in the recorded metadata of an older build",
    breaks="totals are shown instead of open amounts of invoices (`openKnown`)",
    switches=("paid_amounts=false",),
)
async def _invoices_show_what_is_paid(fixture: Fixture) -> str:
    await fixture.first("Invoices")
    options = {"$select": "DocEntry,PaidToDate", "$top": "1"}
    (invoice,) = rows(await fixture.get("Invoices", options, B1S_PageSize="1"))
    return kind(invoice.get("PaidToDate"))


@question(
    "Do the rows of a received payment name the invoice (`DocEntry`, `InvoiceType`) in a list?",
    expected="number/text",
    source=_METADATA,
    breaks="a document's flow shows no payments",
)
async def _payments_name_their_invoices(fixture: Fixture) -> str:
    options = {"$select": "DocEntry,PaymentInvoices", "$top": "20"}
    found = rows(await fixture.get("IncomingPayments", options, B1S_PageSize="20"))
    paid = [row for payment in found for row in payment.get("PaymentInvoices") or ()]
    if not paid:
        raise QuestionSkipped("no payment of an invoice")
    return f"{kind(paid[0].get('DocEntry'))}/{kind(paid[0].get('InvoiceType'))}"


@question(
    "Does `$apply` add up what its filter leaves, each currency by itself, and count it?",
    expected="summed",
    source="SAP's manual 1.22, 3.7; SAP's blogs on aggregation and grouping",
    breaks="`GET /api/sums` says that there are no sums; lists show the sum of one page",
    switches=(
        "other_habits=no-apply",
        "other_habits=apply-ignored",
        "other_habits=apply-filter-ignored",
    ),
)
async def _sums_of_a_filter(fixture: Fixture) -> str:
    order = (await fixture.two("Orders"))[0]
    query = SumQuery(
        sums=("DocTotal",), key="DocEntry", by=("DocCurrency",), filter=f"DocEntry eq {order['DocEntry']}"
    )
    reply = await fixture.get(f"Orders?{query.encode()}")
    if reply.status >= HTTPStatus.BAD_REQUEST:
        return "refused"
    if any(COUNT not in row for row in rows(reply)):
        return "ignored"
    found = [(row.get("DocCurrency"), row.get(sum_name(0)), row.get(COUNT)) for row in rows(reply)]
    return either(found == [(order["DocCurrency"], order["DocTotal"], 1)], "summed", "other")


_LINES: Final = "Attachments2_Lines"
_OVERWRITTEN: Final = ("other_habits=files-are-overwritten",)


@question(
    "Is the non-ASCII name of an added file returned unchanged, in UTF-8?",
    expected="same",
    source="unproven",
    breaks="people see other names than those of the files that they added; reading them goes on",
    switches=("other_habits=file-names-are-latin",),
    writes=True,
)
async def _file_names_are_utf_8(fixture: Fixture) -> str:
    (line,) = (await fixture.trial_files())[_LINES]
    return either(f"{line['FileName']}.{line['FileExtension']}" == fixture.file_name, "same", "other")


@question(
    "Is a file refused that is added to an entry under a name that the entry has?",
    expected="refused",
    source="unproven; a user of a client library takes it for the way to overwrite a file",
    breaks="no effect: the gateway refuses such a file itself (`attachment_exists`)",
    switches=_OVERWRITTEN,
    writes=True,
)
async def _file_name_of_its_entry(fixture: Fixture) -> str:
    entry = await fixture.trial_files()
    if status(await fixture.add_file(entry["AbsoluteEntry"])) not in ("200", "204"):
        return "refused"
    after = await fixture.trial_files()
    return either(len(after[_LINES]) > len(entry[_LINES]), "added", "overwritten")


@question(
    "Is a new entry's file refused under a name that another entry's file has in the same folder?",
    expected="refused",
    source="a refusal reported by a user of a client library",
    breaks="a file of one record silently replaces another record's",
    switches=_OVERWRITTEN,
    writes=True,
)
async def _file_name_of_another_entry(fixture: Fixture) -> str:
    await fixture.trial_files()
    return either(status(await fixture.add_file(None)) == "201", "taken", "refused")


_MISSING_FOLDER_IS_REFUSED: Final = Question(
    name="missing-folder-is-refused",
    asks="Is a file refused with 400 where the folder for attachments is not named, or not mounted?",
    expected="400/-10",
    source="the text of the ERP's own client; its status and number here are assumed",
    breaks="no effect: the ERP's words are shown (`upstream_rejected`); a 5xx leaves the outcome unknown",
    switches=("attachments_mounted=false", "attachment_folder="),
    unasked="it takes a company whose folder is out of reach",
)


OWN_QUESTIONS: Final = questions_in(globals())
"""Questions of the gateway, in the order in which they run."""

QUESTIONS: Final[tuple[Question, ...]] = (*OWN_QUESTIONS, *SHARED_QUESTIONS)
"""All questions of `erp-gateway conformance`."""

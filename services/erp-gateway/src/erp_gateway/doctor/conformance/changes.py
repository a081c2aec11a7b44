"""Questions about changes of documents and partners: approvals, rights and actions."""

from typing import Final

from erp_gateway.doctor.conformance.sources import METADATA
from erpdoctor.conformance.fixture import TRIAL_SET, Fixture
from erpdoctor.conformance.question import Question, question, questions_in
from erpdoctor.conformance.readings import QuestionSkipped, fields, status


@question(
    "Can drafts be found by the kind of document that they are for?",
    expected="200",
    source=METADATA,
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
    source=METADATA + "; SAP's API reference",
    breaks="they can't be cancelled through the gateway",
    unasked="it would post to the books",
)


@question(
    "Does `Close` close an open document, and `Reopen` open it again, each with 204?",
    expected="204/bost_Close/204/bost_Open",
    source=METADATA + "; SAP's manual 1.29 names the actions, not their effects",
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
    source=METADATA + "; likely",
    breaks="the person sees that it is done, without the number of the new document",
    unasked="it would post to stock and accounts",
)


CHANGE_QUESTIONS: Final = questions_in(globals())

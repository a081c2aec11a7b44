"""All conformance questions of the returns, including those that can't be asked."""

from typing import Final

from erpdoctor.conformance.question import Question
from erpdoctor.conformance.shared import SHARED_QUESTIONS
from supplier_returns.conformance.objects import OBJECT_QUESTIONS
from supplier_returns.conformance.queries import QUERY_QUESTIONS
from supplier_returns.conformance.trials import TRIAL_QUESTIONS

_POSTS: Final = "it takes a return that is posted, or refused for this reason alone"
_NOTES: Final = "notes of integrators; the words are told by the ERP in the language of the login"


def _refusal(name: str, asks: str, expected: str, source: str, becomes: str, *switches: str) -> Question:
    return Question(
        name=name,
        asks=asks,
        expected=expected,
        source=source,
        breaks=f"its class would not be `{becomes}`: what is offered to the person then does not help",
        switches=switches,
        unasked=_POSTS,
    )


UNASKED_QUESTIONS: Final = (
    _refusal(
        "return-below-stock-is-refused",
        "Is a return of more than lies in the warehouse refused with the words of negative inventory?",
        "400/-10",
        "ten public captures of these words",
        "stock",
        "negative_stock=true",
    ),
    _refusal(
        "return-of-a-closed-receipt-is-refused",
        "Is a return of a closed receipt refused with the words of a closed base document?",
        "400/-5002",
        "two captures; the code differs between them",
        "base",
    ),
    _refusal(
        "return-beyond-open-quantity-is-refused",
        "Is a return of more than the receipt's line has open refused?",
        "400/-5002",
        "assumed; it is checked here before",
        "base",
        "over_base_quantity=true",
    ),
    _refusal(
        "return-without-batches-is-4014",
        "Is a return of a batch item without its batches refused with -4014?",
        "400/-4014",
        "integrators' notes",
        "lotes",
    ),
    _refusal(
        "return-in-a-locked-period-is-4013",
        "Is a return in a locked period refused with -4013?",
        "400/-4013",
        _NOTES,
        "periodo",
        "locked_periods=2026-03",
    ),
    _refusal(
        "return-without-a-rate-is-refused",
        "Is a return in a currency without the day's rate refused with the words of the exchange rate?",
        "400/-10",
        "captures of these words",
        "tipoCambio",
        "daily_rates=true",
    ),
    _refusal(
        "return-of-a-locked-series-is-refused",
        "Is a return in a locked series refused with the words of the numbering series?",
        "400/-10",
        _NOTES,
        "serie",
    ),
    _refusal(
        "return-without-a-branch-is-2028",
        "Is a return without its branch refused with -2028 where the company has branches?",
        "400/-2028",
        "validated by an integrator on Service Layer 1000321",
        "maestro",
        "branches=true",
    ),
    Question(
        name="return-may-become-a-draft",
        asks="Does a return that an approval procedure catches answer -2028 and leave a draft with our key?",
        expected="400/-2028",
        source="validated by an integrator on Service Layer 1000321",
        breaks="it counts as failed, and a second draft is made",
        switches=("approval_procedure=PurchaseReturns",),
        unasked="it takes an approval procedure, and leaves a draft",
    ),
    Question(
        name="own-rules-undo-a-return",
        asks="Does a refusal by the company's own rules (-1116, its text at the end) leave nothing?",
        expected="400/-1116",
        source="texts kept by a product; integrators",
        breaks="a return stands that counts as refused; it is found by its key when it is reprocessed",
        switches=("transaction_notification=PurchaseReturns(NumAtCard=):7:Falta",),
        unasked=_POSTS,
    ),
    Question(
        name="object-rows-merge-by-line-id",
        asks="Does a change of a planning match rows by `LineId` and leave those that it does not send?",
        expected="kept",
        source="a product's tests; SAP's manual 1.22, 3.16",
        breaks="rows of a planning are lost at its next change",
        unasked="it takes a planning, which people would see in their list",
    ),
    Question(
        name="object-closes-by-action",
        asks="Does the action `Close` set a user object's `Status` to `C`, and is it closed for good?",
        expected="204",
        source="SAP's manual 1.22, 3.16; the second assumed",
        breaks="`cerrar` does not close",
        unasked="a closed planning stays for ever",
    ),
    Question(
        name="definitions-show-in-time",
        asks="Does the Service Layer show new tables, fields and objects at the next login?",
        expected="after-login",
        source="SAP's manual 1.22, 7.2, says after a restart; products find them at once or at a login",
        breaks="nothing: rebuilding waits, and says `pendiente_reinicio`",
        switches=("metadata_visible=after-login",),
        unasked="it takes a definition that nobody needs",
    ),
    Question(
        name="folio-comes-later",
        asks="Does a return get its folio from an add-on after it was added, in an electronic series alone?",
        expected="later",
        source="the code of an add-on",
        breaks="the joined PDF is refused with `folio_missing` although nothing is missing",
        switches=("folio_delay_s=none",),
        unasked=_POSTS,
    ),
    Question(
        name="missing-query-right-is-403",
        asks="Is a user who may not run a stored query refused with 403 and code -6006?",
        expected="403/-6006",
        source="SAP's manual 1.29, 4.11",
        breaks="the person is not told which right is missing",
        switches=("sql_grants=bodega:*",),
        unasked="it takes a user without that right",
    ),
)
"""Assumptions that no question can test."""

OWN_QUESTIONS: Final[tuple[Question, ...]] = (
    *OBJECT_QUESTIONS,
    *QUERY_QUESTIONS,
    *TRIAL_QUESTIONS,
    *UNASKED_QUESTIONS,
)
"""Questions of the returns only, in the order of the suite."""

QUESTIONS: Final[tuple[Question, ...]] = (*OWN_QUESTIONS, *SHARED_QUESTIONS)
"""All questions of `supplier-returns conformance`."""

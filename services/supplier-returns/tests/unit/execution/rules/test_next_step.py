"""Next step of a document, for every stage, lookup result and time."""

from typing import Any

import attrs
import plannings
import pytest
from plannings import NOW, attempted, document, timing

from supplier_returns.execution.rules.evidence import Evidence, FailedLookup, KeyUse, Missing, Stage
from supplier_returns.execution.rules.failures import (
    ErrorClass,
    NotSent,
    Posted,
    PostOutcome,
    Refused,
    Unknown,
)
from supplier_returns.execution.rules.finding import DraftStatus, ErpDraft, ErpReturn, Match
from supplier_returns.execution.rules.next_step import MAX_RECORDINGS, can_do_without, next_step
from supplier_returns.execution.rules.recheck import Problem
from supplier_returns.execution.rules.steps import (
    Check,
    Finish,
    Lookup,
    Post,
    PostAlone,
    RecordAttempt,
    UseUp,
)
from supplier_returns.planning.model.documents import OwnCode, SupplierDocument
from supplier_returns.planning.model.states import DocumentState

RETURN = Match(ErpReturn(doc_entry=9, doc_num=90, card_code="P1", key="ODEV-1-1-aa", folio=4))
DRAFT = ErpDraft(doc_entry=3, status=DraftStatus.WAITING)
NOTHING: dict[str, Any] = {"found": Missing.ABSENT, "draft": Missing.ABSENT}
TWICE: dict[str, Any] = {**NOTHING, "looked_twice": True}
RECORDED = Evidence().attempt_recorded(NOW)


def finish(
    recorded: SupplierDocument, evidence: Evidence, *, later_s: float = 0
) -> tuple[DocumentState, str | None, str | None]:
    step = next_step(recorded, evidence, timing(later_s))
    assert isinstance(step, Finish), step
    return step.document.state, step.document.error_class, step.document.error_code


def test_a_new_document_is_recorded_without_a_lookup() -> None:
    assert next_step(document(), Evidence(), timing()) == RecordAttempt()


@pytest.mark.parametrize(
    "state",
    [DocumentState.RUNNING, DocumentState.UNCERTAIN, DocumentState.PENDING, DocumentState.IN_APPROVAL],
)
def test_a_document_with_an_attempt_is_looked_up_first(state: DocumentState) -> None:
    recorded = attempted(state)
    assert next_step(recorded, Evidence(), timing()) is Lookup.RETURN
    assert next_step(recorded, Evidence(found=Missing.ABSENT), timing()) is Lookup.DRAFT
    assert finish(recorded, Evidence(found=RETURN)) == (DocumentState.CREATED, None, None)
    assert finish(recorded, Evidence(found=Missing.ABSENT, draft=DRAFT)) == (
        DocumentState.IN_APPROVAL,
        None,
        None,
    )


@pytest.mark.parametrize("state", [DocumentState.RUNNING, DocumentState.UNCERTAIN])
def test_a_document_in_doubt_waits_before_another_post(state: DocumentState) -> None:
    recorded = attempted(state)
    assert finish(recorded, Evidence(**NOTHING), later_s=179) == (DocumentState.UNCERTAIN, None, None)
    assert next_step(recorded, Evidence(**NOTHING), timing(180)) == RecordAttempt(in_doubt=True)
    step = next_step(recorded, Evidence(**NOTHING), timing())
    assert isinstance(step, Finish)
    assert "12:03:00" in (step.document.message or "")


@pytest.mark.parametrize(
    ("state", "code", "clause"),
    [
        (DocumentState.RUNNING, None, "No se sabe si la devolución se envió, y no aparece"),
        (DocumentState.UNCERTAIN, None, "El ERP no respondió y la devolución no aparece"),
        (
            DocumentState.RUNNING,
            OwnCode.KEY_TAKEN.value,
            "La clave ya está usada en el ERP, pero la devolución no aparece",
        ),
    ],
)
def test_the_message_explains_why_a_document_is_uncertain(
    state: DocumentState, code: str | None, clause: str
) -> None:
    step = next_step(attempted(state, error_code=code), Evidence(**NOTHING), timing())
    assert isinstance(step, Finish)
    assert step.document.message == f"{clause}; podría aparecer todavía. Reprocese después de las 12:03:00."


def test_an_unreadable_attempt_time_needs_no_wait() -> None:
    recorded = attrs.evolve(attempted(DocumentState.RUNNING), last_attempt="ayer")
    assert next_step(recorded, Evidence(**NOTHING), timing()) == RecordAttempt(in_doubt=True)
    naive = attrs.evolve(recorded, last_attempt="2026-03-04T11:59:00")
    assert finish(naive, Evidence(**NOTHING))[0] is DocumentState.UNCERTAIN


def test_a_used_key_without_a_return_fails_after_the_wait() -> None:
    recorded = attempted(DocumentState.UNCERTAIN, error_code=OwnCode.KEY_TAKEN.value)
    assert finish(recorded, Evidence(**NOTHING)) == (DocumentState.UNCERTAIN, None, "clave_usada")
    assert next_step(recorded, Evidence(**NOTHING), timing(181)) is Lookup.RETURN_AGAIN
    assert finish(recorded, Evidence(**TWICE), later_s=181) == (DocumentState.FAILED, "erp", "clave_usada")


def test_a_missing_draft_without_a_return_fails_the_document() -> None:
    recorded = attempted(DocumentState.IN_APPROVAL)
    assert next_step(recorded, Evidence(**NOTHING), timing()) is Lookup.RETURN_AGAIN
    assert finish(recorded, Evidence(**TWICE)) == (DocumentState.FAILED, "erp", "borrador_eliminado")
    assert finish(recorded, Evidence(**{**TWICE, "found": RETURN}))[0] is DocumentState.CREATED
    refused = attrs.evolve(DRAFT, status=DraftStatus.REFUSED)
    assert finish(recorded, Evidence(found=Missing.ABSENT, draft=refused)) == (
        DocumentState.FAILED,
        "erp",
        "borrador_rechazado",
    )


def test_a_pending_document_is_retried_without_a_wait() -> None:
    assert next_step(attempted(DocumentState.PENDING), Evidence(**NOTHING), timing()) == RecordAttempt()


@pytest.mark.parametrize("code", [code.value for code in OwnCode])
def test_a_failed_document_is_looked_up_and_otherwise_unchanged(code: str) -> None:
    recorded = attempted(DocumentState.FAILED, error_class="erp", error_code=code)
    assert next_step(recorded, Evidence(), timing(999)) is Lookup.RETURN
    assert finish(recorded, Evidence(found=RETURN)) == (DocumentState.CREATED, None, None)
    assert finish(recorded, Evidence(found=Missing.ABSENT, draft=DRAFT))[0] is DocumentState.IN_APPROVAL
    assert next_step(recorded, Evidence(**NOTHING), timing(999)) is Lookup.RETURN_AGAIN
    assert next_step(recorded, Evidence(**TWICE), timing(999)) == Finish(recorded)


def test_a_recorded_document_is_looked_up_checked_and_posted() -> None:
    recorded = attempted(DocumentState.RUNNING)
    assert next_step(recorded, RECORDED, timing()) is Lookup.RETURN
    assert finish(recorded, attrs.evolve(RECORDED, found=RETURN))[0] is DocumentState.CREATED
    looked = attrs.evolve(RECORDED, found=Missing.ABSENT)
    assert next_step(recorded, looked, timing()) == Check()
    problem = Problem(ErrorClass.STOCK, "Faltan.")
    assert finish(recorded, attrs.evolve(looked, problem=problem)) == (DocumentState.FAILED, "stock", None)
    assert next_step(recorded, attrs.evolve(looked, problem=Missing.ABSENT), timing()) == Post()


def test_a_stale_attempt_is_recorded_again_a_limited_number_of_times() -> None:
    ready = attrs.evolve(RECORDED, found=Missing.ABSENT, problem=Missing.ABSENT)
    recorded = attempted(DocumentState.RUNNING)
    assert next_step(recorded, ready, timing(15)) == Post()
    assert next_step(recorded, ready, timing(16)) == RecordAttempt()
    renewed = ready.attempt_recorded(timing(16).now)
    assert (renewed.found, renewed.problem, renewed.recordings) == (Missing.ABSENT, Missing.ABSENT, 2)
    assert next_step(recorded, renewed, timing(16)) == Post()
    assert next_step(recorded, attrs.evolve(ready, recordings=MAX_RECORDINGS), timing(99)) == Post()


def test_a_record_or_post_discards_lookups_but_not_actions() -> None:
    first = Evidence(**TWICE, is_fenced=True).attempt_recorded(NOW, in_doubt=True)
    assert first == Evidence(stage=Stage.RECORDED, recorded_at=NOW, recordings=1, in_doubt=True)
    ready = attrs.evolve(first, key_use=KeyUse.USED_UP, **TWICE)
    later = timing(1).now
    assert ready.attempt_recorded(later) == attrs.evolve(ready, recorded_at=later, recordings=2)
    assert ready.posted(Unknown(), fenced=True) == Evidence(
        stage=Stage.POSTED,
        recorded_at=NOW,
        in_doubt=True,
        key_use=KeyUse.USED_UP,
        outcome=Unknown(),
        was_fenced=True,
    )


def after(outcome: PostOutcome, *, fenced: bool = False, **evidence: Any) -> Evidence:
    return attrs.evolve(RECORDED.posted(outcome, fenced=fenced), **evidence)


def test_a_posted_return_is_recorded_as_created() -> None:
    step = next_step(attempted(DocumentState.RUNNING), after(Posted(doc_entry=5, doc_num=50)), timing())
    assert isinstance(step, Finish)
    assert (step.document.state, step.document.doc_entry, step.document.doc_num) == (
        DocumentState.CREATED,
        5,
        50,
    )
    assert not step.stops


def test_an_unsent_post_leaves_the_document_pending_and_ends_the_run() -> None:
    step = next_step(attempted(DocumentState.RUNNING), after(NotSent("Sin conexión.")), timing())
    assert isinstance(step, Finish)
    assert step.stops
    assert (step.document.state, step.document.message) == (DocumentState.PENDING, "Sin conexión.")


def test_a_post_without_a_reply_is_looked_up_and_otherwise_uncertain() -> None:
    recorded = attempted(DocumentState.RUNNING)
    assert next_step(recorded, after(Unknown()), timing()) is Lookup.RETURN
    assert finish(recorded, after(Unknown(), found=RETURN))[0] is DocumentState.CREATED
    assert next_step(recorded, after(Unknown(), found=Missing.ABSENT), timing()) is Lookup.DRAFT
    assert (
        finish(recorded, after(Unknown(), found=Missing.ABSENT, draft=DRAFT))[0] is DocumentState.IN_APPROVAL
    )
    assert finish(recorded, after(Unknown(), **NOTHING)) == (DocumentState.UNCERTAIN, None, None)
    unmarked = Evidence(stage=Stage.POSTED, outcome=Unknown(), **NOTHING)
    assert finish(recorded, unmarked)[0] is DocumentState.UNCERTAIN


def test_a_refusal_is_recorded_with_its_class_and_text() -> None:
    refusal = Refused(code=-10, text="Quantity falls into negative inventory")
    step = next_step(attempted(DocumentState.RUNNING), after(refusal), timing())
    assert isinstance(step, Finish)
    failed = step.document
    assert (failed.state, failed.error_class, failed.error_code, failed.message) == (
        DocumentState.FAILED,
        "stock",
        "-10",
        refusal.text,
    )


IN_DOUBT = Evidence().attempt_recorded(NOW, in_doubt=True)
NO_STOCK = Refused(code=-10, text="Quantity falls into negative inventory")
FAILURES = [
    attrs.evolve(IN_DOUBT, found=Missing.ABSENT, problem=Problem(ErrorClass.STOCK, "Faltan.")),
    attrs.evolve(IN_DOUBT.posted(NO_STOCK, fenced=True), found=Missing.ABSENT),
]


@pytest.mark.parametrize("evidence", FAILURES)
def test_a_failure_after_a_lost_reply_first_uses_up_the_key(
    evidence: Evidence,
) -> None:
    recorded = attempted(DocumentState.RUNNING, payload_hash="aa")
    assert next_step(recorded, evidence, timing()) == UseUp()
    used_up = evidence.used_up(KeyUse.USED_UP)
    assert next_step(recorded, used_up, timing()) is Lookup.RETURN
    assert finish(recorded, attrs.evolve(used_up, found=RETURN))[0] is DocumentState.CREATED
    nothing = attrs.evolve(used_up, **NOTHING)
    assert next_step(recorded, nothing, timing()) is Lookup.RETURN_AGAIN
    step = next_step(recorded, attrs.evolve(nothing, looked_twice=True), timing())
    assert isinstance(step, Finish)
    failed = step.document
    assert (failed.state, failed.error_class, failed.key, failed.payload_hash) == (
        DocumentState.FAILED,
        "stock",
        "",
        "",
    )


@pytest.mark.parametrize("key_use", [KeyUse.OPEN, KeyUse.USED_UP, KeyUse.TAKEN])
def test_using_up_a_key_requires_new_lookups(key_use: KeyUse) -> None:
    looked_for = attrs.evolve(IN_DOUBT, **TWICE)
    assert looked_for.used_up(key_use) == attrs.evolve(IN_DOUBT, key_use=key_use)


@pytest.mark.parametrize("evidence", FAILURES)
def test_without_the_fence_a_failure_keeps_its_key_and_a_taken_key_is_uncertain(
    evidence: Evidence,
) -> None:
    recorded = attempted(DocumentState.RUNNING)
    step = next_step(recorded, attrs.evolve(evidence.used_up(KeyUse.OPEN), **TWICE), timing())
    assert isinstance(step, Finish)
    assert (step.document.state, step.document.key) == (DocumentState.FAILED, recorded.key)
    taken = attrs.evolve(evidence.used_up(KeyUse.TAKEN), **TWICE)
    assert finish(recorded, taken) == (DocumentState.UNCERTAIN, None, "clave_usada")


def test_a_document_in_doubt_stays_so_after_an_unsent_post() -> None:
    evidence = IN_DOUBT.posted(NotSent("Sin conexión."), fenced=True)
    step = next_step(attempted(DocumentState.RUNNING), evidence, timing())
    assert isinstance(step, Finish)
    named = step.document
    assert (named.state, named.error_code, step.stops) == (DocumentState.UNCERTAIN, None, True)
    assert (named.message or "").endswith("Reprocese después de las 12:03:00.")


def test_a_refused_post_outside_the_change_set_needs_a_new_key() -> None:
    alone = Evidence().attempt_recorded(NOW).used_up(KeyUse.USED_UP).posted(NO_STOCK, fenced=False)
    step = next_step(attempted(DocumentState.RUNNING), alone, timing())
    assert isinstance(step, Finish)
    assert (step.document.state, step.document.key) == (DocumentState.FAILED, "")


def test_a_no_match_refusal_may_mean_a_draft_for_approval() -> None:
    recorded = attempted(DocumentState.RUNNING)
    refusal = Refused(code=-2028, text="No matching records found")
    assert next_step(recorded, after(refusal), timing()) is Lookup.DRAFT
    assert finish(recorded, after(refusal, draft=DRAFT))[0] is DocumentState.IN_APPROVAL
    assert next_step(recorded, after(refusal, fenced=True, draft=Missing.ABSENT), timing()) == PostAlone()
    assert finish(recorded, after(refusal, draft=Missing.ABSENT)) == (
        DocumentState.FAILED,
        "maestro",
        "-2028",
    )


@pytest.mark.parametrize("fenced", [True, False])
def test_a_truncated_refusal_may_mean_a_draft(*, fenced: bool) -> None:
    recorded = attempted(DocumentState.RUNNING)
    cut_off = after(Refused(code=None, text=""), fenced=fenced)
    assert next_step(recorded, cut_off, timing()) is Lookup.DRAFT
    assert finish(recorded, attrs.evolve(cut_off, draft=DRAFT))[0] is DocumentState.IN_APPROVAL
    nothing = attrs.evolve(cut_off, draft=Missing.ABSENT)
    assert finish(recorded, nothing) == (DocumentState.FAILED, "erp", None)


@pytest.mark.parametrize("refusal", [Refused(code=-2035, text="exists"), Refused(code=-1, text="@LIB_CLAVE")])
def test_a_used_key_is_distinguished_from_a_refused_return(refusal: Refused) -> None:
    recorded = attempted(DocumentState.RUNNING)
    assert next_step(recorded, after(refusal), timing()) is Lookup.FENCE
    assert finish(recorded, after(refusal, is_fenced=False))[0] is DocumentState.FAILED
    assert next_step(recorded, after(refusal, is_fenced=True), timing()) is Lookup.RETURN
    assert finish(recorded, after(refusal, is_fenced=True, found=RETURN))[0] is DocumentState.CREATED
    assert finish(recorded, after(refusal, is_fenced=True, **NOTHING)) == (
        DocumentState.UNCERTAIN,
        None,
        "clave_usada",
    )


# --- failed lookups

REFUSED_LOOK = FailedLookup(Lookup.DRAFT, is_silent=False)
SILENT_LOOK = FailedLookup(Lookup.RETURN, is_silent=True)
NO_MATCH = Refused(code=-2028, text="No matching records found")


@pytest.mark.parametrize(
    ("state", "evidence", "silent", "refused"),
    [
        (DocumentState.RUNNING, Evidence(), False, True),
        (DocumentState.UNCERTAIN, Evidence(), False, True),
        (DocumentState.PENDING, Evidence(), False, True),
        (DocumentState.IN_APPROVAL, Evidence(), False, True),
        (DocumentState.FAILED, Evidence(), False, False),
        (DocumentState.RUNNING, RECORDED, False, False),
        (DocumentState.RUNNING, after(Unknown()), True, True),
        (DocumentState.RUNNING, after(NO_MATCH), True, True),
    ],
)
def test_a_failed_lookup_ends_the_run_if_the_document_needs_it(
    state: DocumentState, evidence: Evidence, *, silent: bool, refused: bool
) -> None:
    recorded = attempted(state)
    assert can_do_without(recorded, evidence, SILENT_LOOK) is silent
    assert can_do_without(recorded, evidence, REFUSED_LOOK) is refused


@pytest.mark.parametrize(
    ("outcome", "lookup", "clause"),
    [
        (NO_MATCH, Lookup.DRAFT, "El ERP rechazó la devolución («No matching records found»)"),
        (Refused(code=None, text=""), Lookup.DRAFT, "El ERP la rechazó"),
        (Unknown(), Lookup.RETURN_AGAIN, "El ERP no respondió"),
        (Refused(code=-2035, text="exists"), Lookup.FENCE, "El ERP rechazó la devolución («exists»)"),
    ],
)
@pytest.mark.parametrize("is_silent", [True, False])
def test_a_failed_lookup_after_a_post_is_uncertain_and_a_silent_one_ends_the_run(
    outcome: PostOutcome, lookup: Lookup, clause: str, *, is_silent: bool
) -> None:
    evidence = after(outcome, failed_lookup=FailedLookup(lookup, is_silent=is_silent))
    step = next_step(attempted(DocumentState.RUNNING), evidence, timing())
    assert isinstance(step, Finish)
    named = step.document
    assert (named.state, named.error_code, step.stops) == (DocumentState.UNCERTAIN, None, is_silent)
    assert (named.message or "").startswith(f"{clause} y no se pud")
    assert (named.message or "").endswith("Reprocese después de las 12:03:00.")


def test_a_used_key_is_not_posted_again_after_a_failed_lookup() -> None:
    recorded = attempted(DocumentState.RUNNING)
    alone = RECORDED.used_up(KeyUse.USED_UP).posted(NO_MATCH, fenced=False)
    evidence = attrs.evolve(alone, failed_lookup=REFUSED_LOOK)
    assert finish(recorded, evidence) == (DocumentState.UNCERTAIN, None, "clave_usada")
    taken = after(Refused(code=-2035, text="exists"), is_fenced=True, failed_lookup=SILENT_LOOK)
    assert finish(recorded, taken) == (DocumentState.UNCERTAIN, None, "clave_usada")


def test_a_refused_lookup_keeps_the_document_uncertain() -> None:
    evidence = Evidence(found=Missing.ABSENT, failed_lookup=REFUSED_LOOK)
    for state in (DocumentState.RUNNING, DocumentState.UNCERTAIN):
        step = next_step(attempted(state), evidence, timing(999))
        assert isinstance(step, Finish)
        assert (step.document.state, step.stops) == (DocumentState.UNCERTAIN, False)
        assert (step.document.message or "").startswith(
            "No se sabe qué fue de la devolución y no se pudieron leer los borradores;"
        )
        assert (step.document.message or "").endswith("Reprocese después de las 12:16:39.")
    used = attempted(DocumentState.UNCERTAIN, error_code=OwnCode.KEY_TAKEN.value)
    assert finish(used, evidence, later_s=999) == (DocumentState.UNCERTAIN, None, "clave_usada")
    waiting = attempted(DocumentState.IN_APPROVAL)
    assert next_step(waiting, evidence, timing()) == Finish(waiting)
    step = next_step(attempted(DocumentState.PENDING), evidence, timing())
    assert isinstance(step, Finish)
    assert (step.document.state, step.document.message) == (
        DocumentState.PENDING,
        "No se envió: no se pudieron leer los borradores.",
    )


def test_a_return_of_another_supplier_fails_the_document() -> None:
    foreign = Match(ErpReturn(doc_entry=9, doc_num=90, card_code="P2", key="ODEV-1-1-aa"))
    recorded = attempted(DocumentState.RUNNING)
    assert finish(recorded, Evidence(found=foreign)) == (DocumentState.FAILED, "erp", "clave_ajena")


def test_messages_name_cancelled_returns_and_copies() -> None:
    cancelled = Match(
        ErpReturn(doc_entry=9, doc_num=90, card_code="P1", key="ODEV-1-1-bb", is_cancelled=True)
    )
    step = next_step(attempted(DocumentState.RUNNING), Evidence(found=cancelled), timing())
    assert isinstance(step, Finish)
    assert (step.document.state, step.document.doc_num) == (DocumentState.CANCELLED, 90)
    assert "anulada" in (step.document.message or "")
    copied = Match(RETURN.found, (ErpReturn(doc_entry=10, doc_num=91, card_code="P1", key="ODEV-1-1-aa"),))
    step = next_step(attempted(DocumentState.RUNNING), Evidence(found=copied), timing())
    assert isinstance(step, Finish)
    assert step.document.state is DocumentState.CREATED
    assert (step.document.message or "").endswith("91. Revíselas.")


def test_attempt_times_have_the_format_of_the_record() -> None:
    assert plannings.attempted(DocumentState.RUNNING, ago_s=60).last_attempt == "2026-03-04T11:59:00Z"

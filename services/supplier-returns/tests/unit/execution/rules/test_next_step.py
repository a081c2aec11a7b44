"""What to do next with a document: every stage, every finding, every moment."""

from typing import Any

import attrs
import plannings
import pytest
from plannings import NOW, attempted, document, timing

from supplier_returns.execution.rules.failures import (
    ErrorClass,
    NotSent,
    Posted,
    PostOutcome,
    Refused,
    Unknown,
)
from supplier_returns.execution.rules.finding import DraftStanding, ErpDraft, ErpReturn, Match
from supplier_returns.execution.rules.next_step import (
    MOST_MARKS,
    Check,
    Evidence,
    FailedLookup,
    KeyUse,
    Lookup,
    Mark,
    Missing,
    Post,
    PostAlone,
    Settle,
    Stage,
    UseUp,
    can_do_without,
    next_step,
)
from supplier_returns.execution.rules.recheck import Problem
from supplier_returns.planning.rules.model import OwnCode, SupplierDocument
from supplier_returns.planning.rules.states import DocumentState

RETURN = Match(ErpReturn(doc_entry=9, doc_num=90, card_code="P1", key="ODEV-1-1-aa", folio=4))
DRAFT = ErpDraft(doc_entry=3, standing=DraftStanding.WAITING)
NOTHING: dict[str, Any] = {"found": Missing.NOT_THERE, "draft": Missing.NOT_THERE}
TWICE: dict[str, Any] = {**NOTHING, "looked_twice": True}
MARKED = Evidence().marked(NOW)


def settled(
    recorded: SupplierDocument, seen: Evidence, *, later_s: float = 0
) -> tuple[DocumentState, str | None, str | None]:
    step = next_step(recorded, seen, timing(later_s))
    assert isinstance(step, Settle), step
    return step.document.state, step.document.error_class, step.document.error_code


def test_a_document_that_was_never_tried_is_marked_at_once() -> None:
    assert next_step(document(), Evidence(), timing()) == Mark()


@pytest.mark.parametrize(
    "state",
    [DocumentState.RUNNING, DocumentState.UNCERTAIN, DocumentState.PENDING, DocumentState.IN_APPROVAL],
)
def test_a_document_that_was_tried_is_looked_for_first(state: DocumentState) -> None:
    recorded = attempted(state)
    assert next_step(recorded, Evidence(), timing()) is Lookup.RETURN
    assert next_step(recorded, Evidence(found=Missing.NOT_THERE), timing()) is Lookup.DRAFT
    assert settled(recorded, Evidence(found=RETURN)) == (DocumentState.CREATED, None, None)
    assert settled(recorded, Evidence(found=Missing.NOT_THERE, draft=DRAFT)) == (
        DocumentState.IN_APPROVAL,
        None,
        None,
    )


@pytest.mark.parametrize("state", [DocumentState.RUNNING, DocumentState.UNCERTAIN])
def test_nothing_is_posted_again_before_the_waiting_time_is_over(state: DocumentState) -> None:
    recorded = attempted(state)
    assert settled(recorded, Evidence(**NOTHING), later_s=179) == (DocumentState.UNCERTAIN, None, None)
    assert next_step(recorded, Evidence(**NOTHING), timing(180)) == Mark(in_doubt=True)
    step = next_step(recorded, Evidence(**NOTHING), timing())
    assert isinstance(step, Settle)
    assert "12:03:00" in (step.document.message or "")


@pytest.mark.parametrize(
    ("state", "code", "known"),
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
def test_what_is_looked_back_for_in_vain_tells_what_is_known_of_it(
    state: DocumentState, code: str | None, known: str
) -> None:
    step = next_step(attempted(state, error_code=code), Evidence(**NOTHING), timing())
    assert isinstance(step, Settle)
    assert step.document.message == f"{known}; podría aparecer todavía. Reprocese después de las 12:03:00."


def test_a_moment_that_cannot_be_read_counts_as_long_ago() -> None:
    recorded = attrs.evolve(attempted(DocumentState.RUNNING), last_attempt="ayer")
    assert next_step(recorded, Evidence(**NOTHING), timing()) == Mark(in_doubt=True)
    naive = attrs.evolve(recorded, last_attempt="2026-03-04T11:59:00")
    assert settled(naive, Evidence(**NOTHING))[0] is DocumentState.UNCERTAIN


def test_a_key_without_a_return_needs_a_word_after_the_waiting_time() -> None:
    recorded = attempted(DocumentState.UNCERTAIN, error_code=OwnCode.KEY_TAKEN.value)
    assert settled(recorded, Evidence(**NOTHING)) == (DocumentState.UNCERTAIN, None, "clave_usada")
    assert next_step(recorded, Evidence(**NOTHING), timing(181)) is Lookup.RETURN_AGAIN
    assert settled(recorded, Evidence(**TWICE), later_s=181) == (DocumentState.FAILED, "erp", "clave_usada")


def test_a_draft_that_is_gone_without_a_return_needs_a_word() -> None:
    recorded = attempted(DocumentState.IN_APPROVAL)
    assert next_step(recorded, Evidence(**NOTHING), timing()) is Lookup.RETURN_AGAIN
    assert settled(recorded, Evidence(**TWICE)) == (DocumentState.FAILED, "erp", "borrador_eliminado")
    assert settled(recorded, Evidence(**{**TWICE, "found": RETURN}))[0] is DocumentState.CREATED
    refused = attrs.evolve(DRAFT, standing=DraftStanding.REFUSED)
    assert settled(recorded, Evidence(found=Missing.NOT_THERE, draft=refused)) == (
        DocumentState.FAILED,
        "erp",
        "borrador_rechazado",
    )


def test_a_document_that_failed_for_sure_is_tried_again_without_waiting() -> None:
    assert next_step(attempted(DocumentState.PENDING), Evidence(**NOTHING), timing()) == Mark()


@pytest.mark.parametrize("code", [code.value for code in OwnCode])
def test_what_may_have_come_to_life_after_all_is_looked_for_and_else_left_as_it_is(code: str) -> None:
    recorded = attempted(DocumentState.FAILED, error_class="erp", error_code=code)
    assert next_step(recorded, Evidence(), timing(999)) is Lookup.RETURN
    assert settled(recorded, Evidence(found=RETURN)) == (DocumentState.CREATED, None, None)
    assert settled(recorded, Evidence(found=Missing.NOT_THERE, draft=DRAFT))[0] is DocumentState.IN_APPROVAL
    assert next_step(recorded, Evidence(**NOTHING), timing(999)) is Lookup.RETURN_AGAIN
    assert next_step(recorded, Evidence(**TWICE), timing(999)) == Settle(recorded)


def test_a_marked_document_is_looked_for_checked_and_posted() -> None:
    recorded = attempted(DocumentState.RUNNING)
    assert next_step(recorded, MARKED, timing()) is Lookup.RETURN
    assert settled(recorded, attrs.evolve(MARKED, found=RETURN))[0] is DocumentState.CREATED
    looked = attrs.evolve(MARKED, found=Missing.NOT_THERE)
    assert next_step(recorded, looked, timing()) == Check()
    problem = Problem(ErrorClass.STOCK, "Faltan.")
    assert settled(recorded, attrs.evolve(looked, problem=problem)) == (DocumentState.FAILED, "stock", None)
    assert next_step(recorded, attrs.evolve(looked, problem=Missing.NOT_THERE), timing()) == Post()


def test_an_old_mark_is_renewed_before_the_post_but_not_for_ever() -> None:
    ready = attrs.evolve(MARKED, found=Missing.NOT_THERE, problem=Missing.NOT_THERE)
    recorded = attempted(DocumentState.RUNNING)
    assert next_step(recorded, ready, timing(15)) == Post()
    assert next_step(recorded, ready, timing(16)) == Mark()
    renewed = ready.marked(timing(16).now)
    assert (renewed.found, renewed.problem, renewed.marks) == (Missing.NOT_THERE, Missing.NOT_THERE, 2)
    assert next_step(recorded, renewed, timing(16)) == Post()
    assert next_step(recorded, attrs.evolve(ready, marks=MOST_MARKS), timing(99)) == Post()


def test_what_was_seen_before_a_first_mark_or_a_post_counts_no_more_and_what_was_done_does() -> None:
    first = Evidence(**TWICE, is_fenced=True).marked(NOW, in_doubt=True)
    assert first == Evidence(stage=Stage.MARKED, marked_at=NOW, marks=1, in_doubt=True)
    ready = attrs.evolve(first, key_use=KeyUse.USED_UP, **TWICE)
    later = timing(1).now
    assert ready.marked(later) == attrs.evolve(ready, marked_at=later, marks=2)
    assert ready.posted(Unknown(), fenced=True) == Evidence(
        stage=Stage.POSTED,
        marked_at=NOW,
        in_doubt=True,
        key_use=KeyUse.USED_UP,
        outcome=Unknown(),
        was_fenced=True,
    )


def after(outcome: PostOutcome, *, fenced: bool = False, **seen: Any) -> Evidence:
    return attrs.evolve(MARKED.posted(outcome, fenced=fenced), **seen)


def test_a_posted_return_is_recorded() -> None:
    step = next_step(attempted(DocumentState.RUNNING), after(Posted(doc_entry=5, doc_num=50)), timing())
    assert isinstance(step, Settle)
    assert (step.document.state, step.document.doc_entry, step.document.doc_num) == (
        DocumentState.CREATED,
        5,
        50,
    )
    assert not step.stops


def test_what_was_not_sent_waits_and_ends_the_run() -> None:
    step = next_step(attempted(DocumentState.RUNNING), after(NotSent("Sin conexión.")), timing())
    assert isinstance(step, Settle)
    assert step.stops
    assert (step.document.state, step.document.message) == (DocumentState.PENDING, "Sin conexión.")


def test_without_an_answer_it_is_looked_for_and_stays_uncertain() -> None:
    recorded = attempted(DocumentState.RUNNING)
    assert next_step(recorded, after(Unknown()), timing()) is Lookup.RETURN
    assert settled(recorded, after(Unknown(), found=RETURN))[0] is DocumentState.CREATED
    assert next_step(recorded, after(Unknown(), found=Missing.NOT_THERE), timing()) is Lookup.DRAFT
    assert (
        settled(recorded, after(Unknown(), found=Missing.NOT_THERE, draft=DRAFT))[0]
        is DocumentState.IN_APPROVAL
    )
    assert settled(recorded, after(Unknown(), **NOTHING)) == (DocumentState.UNCERTAIN, None, None)
    unmarked = Evidence(stage=Stage.POSTED, outcome=Unknown(), **NOTHING)
    assert settled(recorded, unmarked)[0] is DocumentState.UNCERTAIN


def test_a_refusal_is_recorded_with_its_class_and_the_erps_words() -> None:
    refusal = Refused(code=-10, text="Quantity falls into negative inventory")
    step = next_step(attempted(DocumentState.RUNNING), after(refusal), timing())
    assert isinstance(step, Settle)
    failed = step.document
    assert (failed.state, failed.error_class, failed.error_code, failed.message) == (
        DocumentState.FAILED,
        "stock",
        "-10",
        refusal.text,
    )


IN_DOUBT = Evidence().marked(NOW, in_doubt=True)
NO_STOCK = Refused(code=-10, text="Quantity falls into negative inventory")
FAILURES = [
    attrs.evolve(IN_DOUBT, found=Missing.NOT_THERE, problem=Problem(ErrorClass.STOCK, "Faltan.")),
    attrs.evolve(IN_DOUBT.posted(NO_STOCK, fenced=True), found=Missing.NOT_THERE),
]


@pytest.mark.parametrize("seen", FAILURES)
def test_a_failure_after_a_lost_answer_counts_once_nothing_can_come_of_that_any_more(seen: Evidence) -> None:
    recorded = attempted(DocumentState.RUNNING, payload_hash="aa")
    assert next_step(recorded, seen, timing()) == UseUp()
    used_up = seen.used_up(KeyUse.USED_UP)
    assert next_step(recorded, used_up, timing()) is Lookup.RETURN
    assert settled(recorded, attrs.evolve(used_up, found=RETURN))[0] is DocumentState.CREATED
    nothing = attrs.evolve(used_up, **NOTHING)
    assert next_step(recorded, nothing, timing()) is Lookup.RETURN_AGAIN
    step = next_step(recorded, attrs.evolve(nothing, looked_twice=True), timing())
    assert isinstance(step, Settle)
    failed = step.document
    assert (failed.state, failed.error_class, failed.key, failed.payload_hash) == (
        DocumentState.FAILED,
        "stock",
        "",
        "",
    )


@pytest.mark.parametrize("key_use", [KeyUse.OPEN, KeyUse.USED_UP, KeyUse.TAKEN])
def test_whatever_became_of_its_key_a_document_is_then_looked_for_anew(key_use: KeyUse) -> None:
    looked_for = attrs.evolve(IN_DOUBT, **TWICE)
    assert looked_for.used_up(key_use) == attrs.evolve(IN_DOUBT, key_use=key_use)


@pytest.mark.parametrize("seen", FAILURES)
def test_such_a_failure_keeps_its_key_without_the_fence_and_is_uncertain_where_the_key_was_used(
    seen: Evidence,
) -> None:
    recorded = attempted(DocumentState.RUNNING)
    step = next_step(recorded, attrs.evolve(seen.used_up(KeyUse.OPEN), **TWICE), timing())
    assert isinstance(step, Settle)
    assert (step.document.state, step.document.key) == (DocumentState.FAILED, recorded.key)
    taken = attrs.evolve(seen.used_up(KeyUse.TAKEN), **TWICE)
    assert settled(recorded, taken) == (DocumentState.UNCERTAIN, None, "clave_usada")


def test_what_was_in_doubt_before_a_post_that_never_left_stays_in_doubt() -> None:
    seen = IN_DOUBT.posted(NotSent("Sin conexión."), fenced=True)
    step = next_step(attempted(DocumentState.RUNNING), seen, timing())
    assert isinstance(step, Settle)
    told = step.document
    assert (told.state, told.error_code, step.stops) == (DocumentState.UNCERTAIN, None, True)
    assert (told.message or "").endswith("Reprocese después de las 12:03:00.")


def test_a_return_that_was_posted_alone_and_refused_needs_another_key() -> None:
    alone = Evidence().marked(NOW).used_up(KeyUse.USED_UP).posted(NO_STOCK, fenced=False)
    step = next_step(attempted(DocumentState.RUNNING), alone, timing())
    assert isinstance(step, Settle)
    assert (step.document.state, step.document.key) == (DocumentState.FAILED, "")


def test_no_match_may_mean_a_draft_that_waits_for_approval() -> None:
    recorded = attempted(DocumentState.RUNNING)
    refusal = Refused(code=-2028, text="No matching records found")
    assert next_step(recorded, after(refusal), timing()) is Lookup.DRAFT
    assert settled(recorded, after(refusal, draft=DRAFT))[0] is DocumentState.IN_APPROVAL
    assert next_step(recorded, after(refusal, fenced=True, draft=Missing.NOT_THERE), timing()) == PostAlone()
    assert settled(recorded, after(refusal, draft=Missing.NOT_THERE)) == (
        DocumentState.FAILED,
        "maestro",
        "-2028",
    )


@pytest.mark.parametrize("fenced", [True, False])
def test_a_refusal_that_came_cut_off_may_hide_a_draft(*, fenced: bool) -> None:
    recorded = attempted(DocumentState.RUNNING)
    cut_off = after(Refused(code=None, text=""), fenced=fenced)
    assert next_step(recorded, cut_off, timing()) is Lookup.DRAFT
    assert settled(recorded, attrs.evolve(cut_off, draft=DRAFT))[0] is DocumentState.IN_APPROVAL
    nothing = attrs.evolve(cut_off, draft=Missing.NOT_THERE)
    assert settled(recorded, nothing) == (DocumentState.FAILED, "erp", None)


@pytest.mark.parametrize("refusal", [Refused(code=-2035, text="exists"), Refused(code=-1, text="@LIB_CLAVE")])
def test_a_key_that_is_used_up_is_told_from_a_refused_return(refusal: Refused) -> None:
    recorded = attempted(DocumentState.RUNNING)
    assert next_step(recorded, after(refusal), timing()) is Lookup.FENCE
    assert settled(recorded, after(refusal, is_fenced=False))[0] is DocumentState.FAILED
    assert next_step(recorded, after(refusal, is_fenced=True), timing()) is Lookup.RETURN
    assert settled(recorded, after(refusal, is_fenced=True, found=RETURN))[0] is DocumentState.CREATED
    assert settled(recorded, after(refusal, is_fenced=True, **NOTHING)) == (
        DocumentState.UNCERTAIN,
        None,
        "clave_usada",
    )


# --- looks that fail

REFUSED_LOOK = FailedLookup(Lookup.DRAFT, is_silent=False)
SILENT_LOOK = FailedLookup(Lookup.RETURN, is_silent=True)
NO_MATCH = Refused(code=-2028, text="No matching records found")


@pytest.mark.parametrize(
    ("state", "seen", "silent", "refused"),
    [
        (DocumentState.RUNNING, Evidence(), False, True),
        (DocumentState.UNCERTAIN, Evidence(), False, True),
        (DocumentState.PENDING, Evidence(), False, True),
        (DocumentState.IN_APPROVAL, Evidence(), False, True),
        (DocumentState.FAILED, Evidence(), False, False),
        (DocumentState.RUNNING, MARKED, False, False),
        (DocumentState.RUNNING, after(Unknown()), True, True),
        (DocumentState.RUNNING, after(NO_MATCH), True, True),
    ],
)
def test_a_look_that_fails_ends_the_run_where_nothing_can_be_settled_without_it(
    state: DocumentState, seen: Evidence, *, silent: bool, refused: bool
) -> None:
    recorded = attempted(state)
    assert can_do_without(recorded, seen, SILENT_LOOK) is silent
    assert can_do_without(recorded, seen, REFUSED_LOOK) is refused


@pytest.mark.parametrize(
    ("outcome", "look", "known"),
    [
        (NO_MATCH, Lookup.DRAFT, "El ERP rechazó la devolución («No matching records found»)"),
        (Refused(code=None, text=""), Lookup.DRAFT, "El ERP la rechazó"),
        (Unknown(), Lookup.RETURN_AGAIN, "El ERP no respondió"),
        (Refused(code=-2035, text="exists"), Lookup.FENCE, "El ERP rechazó la devolución («exists»)"),
    ],
)
@pytest.mark.parametrize("is_silent", [True, False])
def test_a_post_that_could_not_be_looked_for_is_uncertain_and_only_silence_ends_the_run(
    outcome: PostOutcome, look: Lookup, known: str, *, is_silent: bool
) -> None:
    seen = after(outcome, failed_look=FailedLookup(look, is_silent=is_silent))
    step = next_step(attempted(DocumentState.RUNNING), seen, timing())
    assert isinstance(step, Settle)
    told = step.document
    assert (told.state, told.error_code, step.stops) == (DocumentState.UNCERTAIN, None, is_silent)
    assert (told.message or "").startswith(f"{known} y no se pud")
    assert (told.message or "").endswith("Reprocese después de las 12:03:00.")


def test_what_used_the_key_up_and_could_not_be_looked_for_is_not_posted_under_it_again() -> None:
    recorded = attempted(DocumentState.RUNNING)
    alone = MARKED.used_up(KeyUse.USED_UP).posted(NO_MATCH, fenced=False)
    seen = attrs.evolve(alone, failed_look=REFUSED_LOOK)
    assert settled(recorded, seen) == (DocumentState.UNCERTAIN, None, "clave_usada")
    taken = after(Refused(code=-2035, text="exists"), is_fenced=True, failed_look=SILENT_LOOK)
    assert settled(recorded, taken) == (DocumentState.UNCERTAIN, None, "clave_usada")


def test_what_may_not_be_looked_back_for_keeps_its_doubt() -> None:
    seen = Evidence(found=Missing.NOT_THERE, failed_look=REFUSED_LOOK)
    for state in (DocumentState.RUNNING, DocumentState.UNCERTAIN):
        step = next_step(attempted(state), seen, timing(999))
        assert isinstance(step, Settle)
        assert (step.document.state, step.stops) == (DocumentState.UNCERTAIN, False)
        assert (step.document.message or "").startswith(
            "No se sabe qué fue de la devolución y no se pudieron leer los borradores;"
        )
        assert (step.document.message or "").endswith("Reprocese después de las 12:16:39.")
    used = attempted(DocumentState.UNCERTAIN, error_code=OwnCode.KEY_TAKEN.value)
    assert settled(used, seen, later_s=999) == (DocumentState.UNCERTAIN, None, "clave_usada")
    waiting = attempted(DocumentState.IN_APPROVAL)
    assert next_step(waiting, seen, timing()) == Settle(waiting)
    step = next_step(attempted(DocumentState.PENDING), seen, timing())
    assert isinstance(step, Settle)
    assert (step.document.state, step.document.message) == (
        DocumentState.PENDING,
        "No se envió: no se pudieron leer los borradores.",
    )


def test_a_return_of_another_supplier_under_the_key_is_not_taken_for_it() -> None:
    foreign = Match(ErpReturn(doc_entry=9, doc_num=90, card_code="P2", key="ODEV-1-1-aa"))
    recorded = attempted(DocumentState.RUNNING)
    assert settled(recorded, Evidence(found=foreign)) == (DocumentState.FAILED, "erp", "clave_ajena")


def test_a_cancelled_return_and_copies_of_one_are_told() -> None:
    cancelled = Match(
        ErpReturn(doc_entry=9, doc_num=90, card_code="P1", key="ODEV-1-1-bb", is_cancelled=True)
    )
    step = next_step(attempted(DocumentState.RUNNING), Evidence(found=cancelled), timing())
    assert isinstance(step, Settle)
    assert (step.document.state, step.document.doc_num) == (DocumentState.CANCELLED, 90)
    assert "anulada" in (step.document.message or "")
    copied = Match(RETURN.found, (ErpReturn(doc_entry=10, doc_num=91, card_code="P1", key="ODEV-1-1-aa"),))
    step = next_step(attempted(DocumentState.RUNNING), Evidence(found=copied), timing())
    assert isinstance(step, Settle)
    assert step.document.state is DocumentState.CREATED
    assert (step.document.message or "").endswith("91. Revíselas.")


def test_the_makers_write_moments_as_the_record_does() -> None:
    assert plannings.attempted(DocumentState.RUNNING, ago_s=60).last_attempt == "2026-03-04T11:59:00Z"

"""State diagram of a document in docs/returns.md: every transition that the rules allow, and no other.

The generator walks the rules. From each stored record it starts a run with every response that the ERP may
give at each step, before and after the waiting time. Then it reprocesses, changes and closes the record. A
kill needs no step of its own: it leaves one of these records, and the next run starts from there.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import attrs

from supplier_returns.execution.rules import recorded_outcomes
from supplier_returns.execution.rules.evidence import Evidence, FailedLookup, KeyUse, Missing, Stage
from supplier_returns.execution.rules.failures import (
    DUPLICATE_CODE,
    NO_MATCH_CODE,
    ErrorClass,
    NotSent,
    Posted,
    PostOutcome,
    Refused,
    Unknown,
)
from supplier_returns.execution.rules.finding import DraftStatus, ErpDraft, ErpReturn, Match
from supplier_returns.execution.rules.next_step import can_do_without, next_step
from supplier_returns.execution.rules.recheck import Problem
from supplier_returns.execution.rules.reconciling import reconcile
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.execution.rules.steps import (
    Check,
    Finish,
    Lookup,
    Post,
    PostAlone,
    RecordAttempt,
    Step,
    UseUp,
)
from supplier_returns.execution.rules.timing import Timing
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.quantities import ZERO
from tools.docs.part import Part

CAUSES: Mapping[tuple[str, str], str] = {
    ("pendiente", "en_proceso"): "attempt recorded",
    ("pendiente", "creado"): "earlier attempt, return found",
    ("pendiente", "anulado"): "earlier attempt, return found and cancelled",
    ("pendiente", "en_aprobacion"): "earlier attempt, draft in approval",
    ("pendiente", "error"): "earlier attempt, draft rejected or key of another supplier",
    ("en_proceso", "creado"): "posted or found",
    ("en_proceso", "anulado"): "found, cancelled in the ERP",
    ("en_proceso", "error"): "refused, or stock or receipt changed",
    ("en_proceso", "incierto"): "no reply, not found",
    ("en_proceso", "en_aprobacion"): "draft in approval",
    ("en_proceso", "pendiente"): "not sent",
    ("error", "anulado"): "reprocesar, return found and cancelled",
    ("error", "en_aprobacion"): "reprocesar, draft in approval after all",
    ("incierto", "creado"): "found",
    ("incierto", "anulado"): "found, cancelled",
    ("incierto", "en_aprobacion"): "draft found",
    ("incierto", "en_proceso"): "wait is over, not found",
    ("incierto", "error"): "key used up without a return",
    ("en_aprobacion", "creado"): "approved and found",
    ("en_aprobacion", "anulado"): "found, cancelled",
    ("en_aprobacion", "error"): "draft rejected or deleted",
    ("error", "pendiente"): "reprocesar, retryable failure",
    ("error", "creado"): "reprocesar or cerrar, return found",
    ("omitido", "creado"): "reprocesar, devoluciones or cerrar, return found",
    ("creado", "anulado"): "reprocesar or cerrar, cancelled in the ERP",
    ("error", "omitido"): "reprocesar plans it again or finds it empty, or cerrar",
    ("pendiente", "omitido"): "cerrar, or reprocesar if it is empty",
}
"""Cause of each transition, in the order of the diagram."""

DAY = date(2026, 3, 4)
NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
WAIT = timedelta(minutes=3)
KEY = "ODEV-7-1-00000000"
NEW = SupplierDocument(
    doc_id=1, card_code="P", name="", tax_id="", currency="CLP", branch=None, part=1, line_count=1,
    total=ZERO, key=KEY,
)  # fmt: skip
OWN = ErpReturn(doc_entry=5, doc_num=50, card_code="P", key=KEY)

RETURNS: list[Match | Missing] = [
    Missing.ABSENT,
    Match(OWN),
    Match(attrs.evolve(OWN, is_cancelled=True)),
    Match(attrs.evolve(OWN, card_code="OTHER")),
]
DRAFTS: list[ErpDraft | Missing] = [
    Missing.ABSENT,
    *(ErpDraft(doc_entry=6, status=status) for status in DraftStatus),
]
PROBLEMS: list[Problem | Missing] = [
    Missing.ABSENT,
    *(Problem(error_class, "x") for error_class in (ErrorClass.STOCK, ErrorClass.BASE)),
]
OUTCOMES: list[PostOutcome] = [
    Posted(doc_entry=5, doc_num=50, folio=None),
    NotSent("x"),
    Unknown(),
    *(
        Refused(code=code, text=text)
        for code, text in (
            (NO_MATCH_CODE, "No matching records found"),
            (DUPLICATE_CODE, "exists"),
            (-4013, "period"),
            (-10, "x"),
        )
    ),
]


def answers(document: SupplierDocument, step: Step, evidence: Evidence) -> list[Evidence]:
    """Return the possible knowledge of a run after a step."""
    actual: list[Evidence] = []
    match step:
        case Lookup.RETURN | Lookup.RETURN_AGAIN:
            twice = step is Lookup.RETURN_AGAIN
            actual += [attrs.evolve(evidence, found=found, looked_twice=twice) for found in RETURNS]
        case Lookup.DRAFT:
            actual += [attrs.evolve(evidence, draft=draft) for draft in DRAFTS]
        case Lookup.FENCE:
            actual += [attrs.evolve(evidence, is_fenced=is_fenced) for is_fenced in (True, False)]
        case Check():
            actual += [attrs.evolve(evidence, problem=problem) for problem in PROBLEMS]
        case Post():
            actual += [evidence.posted(each, fenced=fenced) for each in OUTCOMES for fenced in (True, False)]
        case UseUp():
            actual += [evidence.used_up(use) for use in KeyUse if use is not KeyUse.UNKNOWN]
        case PostAlone():
            taken = Refused(code=DUPLICATE_CODE, text="")
            actual.append(evidence.used_up(KeyUse.TAKEN).posted(taken, fenced=True))
            actual += [evidence.used_up(KeyUse.USED_UP).posted(each, fenced=False) for each in OUTCOMES]
    if isinstance(step, Lookup):
        failed = [FailedLookup(step, is_silent=is_silent) for is_silent in (True, False)]
        actual += [
            attrs.evolve(evidence, failed_lookup=each)
            for each in failed
            if can_do_without(document, evidence, each)
        ]
    assert actual, step
    return actual


def records_of_a_run(document: SupplierDocument, now: datetime) -> Iterator[SupplierDocument]:
    """Yield each record that a run can write next: its mark, or an outcome."""
    timing = Timing(now=now, uncertain_wait=WAIT, clock_time=str)
    actual = [Evidence()]
    if document.state is DocumentState.RUNNING:
        # The run that wrote the mark continues.
        actual += [Evidence().attempt_recorded(now, in_doubt=in_doubt) for in_doubt in (True, False)]
    while actual:
        evidence = actual.pop()
        step = next_step(document, evidence, timing)
        match step:
            case Finish():
                yield step.document
            case RecordAttempt():
                yield recorded_outcomes.attempt_recorded(
                    document, now, is_first=evidence.stage is Stage.LOOKING_BACK
                )
            case _:
                actual += answers(document, step, evidence)


def planning_of(document: SupplierDocument) -> Planning:
    """Return a planning of one line, with this document."""
    header = PlanningHeader(whs_code="01", posting_date=DAY, document_date=DAY, max_lines=60)
    receipt = OpenReceiptLine(
        501, 0, item_code="A", doc_date=DAY, card_code="P", currency="CLP", branch=None,
        open_inventory=Decimal(10), open_document=Decimal(10), doc_num=5010,
    )  # fmt: skip
    part = Allocation(receipt, Decimal(1), Decimal(1), doc_id=document.doc_id)
    lines = (PlanningLine(line_id=1, allocations=(part,), item_code="A", quantity=Decimal(1)),)
    return Planning(id=7, header=header, lines=lines, documents=(document,), created_by="bodega")


def records_of_people(document: SupplierDocument) -> Iterator[SupplierDocument]:
    """Yield the results of reprocessing, changing and closing a record."""
    planning = planning_of(document)
    for replan in (True, False):
        sorted_out = Reprocessing.of(planning, None, replan=replan)
        yield from sorted_out.planning.documents
        yield from planning.without_given_up(sorted_out.given_up).documents
    for erp_returns in ([], [OWN], [attrs.evolve(OWN, is_cancelled=True)]):
        yield from reconcile(planning, erp_returns).documents
    yield from planning.without_failed(None).documents
    if not planning.unresolved:
        yield from planning.closed().documents


def alike(document: SupplierDocument) -> SupplierDocument:
    """Remove differences that do not affect the rules, so that the walk ends."""
    return attrs.evolve(
        document,
        attempts=min(document.attempts, 1),
        last_attempt=document.last_attempt and recorded_outcomes.written_at(NOW),
        message=None,
        warnings=frozenset(),
        key=KEY,
    )


def walked() -> set[tuple[str, str]]:
    """Return every pair of different states that follow each other on record, from a new document on."""
    todo, evidence, arrows = [NEW], {NEW}, set()
    while todo:
        document = todo.pop()
        nexts = set(map(alike, records_of_people(document)))
        is_run = document.state is DocumentState.PENDING or document.state.is_unresolved
        if is_run or (document.state is DocumentState.FAILED and document.needs_new_key):
            for now in (NOW, NOW + WAIT):
                nexts |= set(map(alike, records_of_a_run(document, now)))
        arrows |= {
            (document.state.value, after.state.value) for after in nexts if after.state is not document.state
        }
        todo += nexts - evidence
        evidence |= nexts
    return arrows


def diagram(causes: Mapping[tuple[str, str], str] = CAUSES) -> str:
    """Return the diagram of the arrows that the rules allow.

    Raises:
        ValueError: an arrow has no cause, or a cause no arrow.
    """
    if differing := walked() ^ set(causes):
        raise ValueError(f"causes and rules differ in {sorted(differing)}")
    arrows = (f"    {before} --> {after} : {cause}" for (before, after), cause in causes.items())
    return "\n".join(["```mermaid", "stateDiagram-v2", f"    [*] --> {NEW.state.value}", *arrows, "```"])


PARTS = (Part("docs/returns.md", diagram, markers="states"),)

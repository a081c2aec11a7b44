"""The diagram of a document's states in docs/execution.md, held against what the rules can put on record.

Every state is reached by walking: a run from each record, with every answer that the ERP may give at each
step, before and after the waiting time; then what reprocessing, a change and closing make of the record. A
kill needs no step of its own: it leaves one of these records, and the next run begins there.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import attrs
from plannings import line, part

from supplier_returns.execution.rules import recorded_outcomes
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
from supplier_returns.execution.rules.finding import DraftStanding, ErpDraft, ErpReturn, Match
from supplier_returns.execution.rules.next_step import (
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
    Step,
    Timing,
    UseUp,
    can_do_without,
    next_step,
)
from supplier_returns.execution.rules.recheck import Problem
from supplier_returns.execution.rules.reconciling import reconcile
from supplier_returns.execution.rules.reprocessing import Reprocessing
from supplier_returns.planning.rules.model import ZERO, Planning, PlanningHeader, SupplierDocument
from supplier_returns.planning.rules.states import DocumentState

PAGE = (Path(__file__).parents[6] / "docs" / "execution.md").read_text(encoding="utf-8")
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
    Missing.NOT_THERE,
    Match(OWN),
    Match(attrs.evolve(OWN, is_cancelled=True)),
    Match(attrs.evolve(OWN, card_code="OTHER")),
]
DRAFTS: list[ErpDraft | Missing] = [
    Missing.NOT_THERE,
    *(ErpDraft(doc_entry=6, standing=standing) for standing in DraftStanding),
]
PROBLEMS: list[Problem | Missing] = [
    Missing.NOT_THERE,
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


def answers(document: SupplierDocument, step: Step, seen: Evidence) -> list[Evidence]:
    """Return what a run may know after a step."""
    known: list[Evidence] = []
    match step:
        case Lookup.RETURN | Lookup.RETURN_AGAIN:
            twice = step is Lookup.RETURN_AGAIN
            known += [attrs.evolve(seen, found=found, looked_twice=twice) for found in RETURNS]
        case Lookup.DRAFT:
            known += [attrs.evolve(seen, draft=draft) for draft in DRAFTS]
        case Lookup.FENCE:
            known += [attrs.evolve(seen, is_fenced=is_fenced) for is_fenced in (True, False)]
        case Check():
            known += [attrs.evolve(seen, problem=problem) for problem in PROBLEMS]
        case Post():
            known += [seen.posted(each, fenced=fenced) for each in OUTCOMES for fenced in (True, False)]
        case UseUp():
            known += [seen.used_up(use) for use in KeyUse if use is not KeyUse.UNKNOWN]
        case PostAlone():
            taken = Refused(code=DUPLICATE_CODE, text="")
            known.append(seen.used_up(KeyUse.TAKEN).posted(taken, fenced=True))
            known += [seen.used_up(KeyUse.USED_UP).posted(each, fenced=False) for each in OUTCOMES]
    if isinstance(step, Lookup):
        failed = [FailedLookup(step, is_silent=is_silent) for is_silent in (True, False)]
        known += [
            attrs.evolve(seen, failed_look=each) for each in failed if can_do_without(document, seen, each)
        ]
    assert known, step
    return known


def records_of_a_run(document: SupplierDocument, now: datetime) -> Iterator[SupplierDocument]:
    """Yield each record that a run can write directly after this one: its mark, or an end."""
    timing = Timing(now=now, uncertain_wait=WAIT, clock_time=str)
    known = [Evidence()]
    if document.state is DocumentState.RUNNING:
        # The run that wrote the mark goes on.
        known += [Evidence().marked(now, in_doubt=in_doubt) for in_doubt in (True, False)]
    while known:
        seen = known.pop()
        step = next_step(document, seen, timing)
        match step:
            case Settle():
                yield step.document
            case Mark():
                yield recorded_outcomes.marked(document, now, is_first=seen.stage is Stage.LOOKING_BACK)
            case _:
                known += answers(document, step, seen)


def planning_of(document: SupplierDocument) -> Planning:
    header = PlanningHeader(whs_code="01", posting_date=DAY, document_date=DAY, max_lines=60)
    lines = (line(1, part(1, document.doc_id)),)
    return Planning(id=7, header=header, lines=lines, documents=(document,), created_by="bodega")


def records_of_people(document: SupplierDocument) -> Iterator[SupplierDocument]:
    """Yield what reprocessing, a change of its lines and closing make of a record."""
    planning = planning_of(document)
    for replan in (True, False):
        sorted_out = Reprocessing.of(planning, None, replan=replan)
        yield from sorted_out.planning.documents
        yield from planning.giving_up(sorted_out.given_up).documents
    for erp_returns in ([], [OWN], [attrs.evolve(OWN, is_cancelled=True)]):
        yield from reconcile(planning, erp_returns).documents
    yield from planning.without_failed(None).documents
    if not planning.unresolved:
        yield from planning.closed().documents


def alike(document: SupplierDocument) -> SupplierDocument:
    """Leave out what makes no difference to the rules, so that the walk comes to an end."""
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
    todo, seen, arrows = [NEW], {NEW}, set()
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
        todo += nexts - seen
        seen |= nexts
    return arrows


def test_the_diagram_shows_every_arrow_that_the_rules_allow_and_no_other() -> None:
    (diagram,) = re.findall(r"```mermaid\n(.*?)```", PAGE, re.DOTALL)
    shown = re.findall(r"^ +(\S+) --> (\S+)", diagram, re.MULTILINE)
    assert len(shown) == len(set(shown)), "one arrow for each pair"
    assert ("[*]", NEW.state.value) in shown
    assert set(shown) - {("[*]", NEW.state.value)} == walked()


def test_the_page_names_every_state_and_class_of_a_document() -> None:
    (diagram,) = re.findall(r"```mermaid\n(.*?)```", PAGE, re.DOTALL)
    assert set(re.findall(r"\b[a-z_]+\b(?= -->)|(?<=--> )[a-z_]+", diagram)) == {
        state.value for state in DocumentState
    }
    classes = set(re.findall(r"^\| `(\w+)` \| .* \|$", PAGE, re.MULTILINE)) - {"clase"}
    assert classes == {each.value for each in ErrorClass}

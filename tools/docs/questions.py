"""Tables of docs/assumptions.md: the questions of the conformance suite."""

from collections.abc import Mapping, Sequence
from functools import partial

from erp_gateway.doctor.conformance.questions import OWN_QUESTIONS as GATEWAY_QUESTIONS
from erpdoctor.conformance.question import Question
from erpdoctor.conformance.shared import SHARED_QUESTIONS
from supplier_returns.conformance.questions import OWN_QUESTIONS as RETURNS_QUESTIONS
from tools.docs.part import Part, table

LISTS: Mapping[str, Sequence[Question]] = {
    "shared": SHARED_QUESTIONS,
    "erp-gateway": GATEWAY_QUESTIONS,
    "supplier-returns": RETURNS_QUESTIONS,
}
"""The questions of each list, by the name of its markers."""

_HEAD = ("Question", "Expected answer", "Source", "Another answer breaks", "In erpsim")


def questions_table(questions: Sequence[Question]) -> str:
    """Return the table of some questions."""
    return table(_HEAD, map(_row, questions))


def _row(question: Question) -> tuple[str, ...]:
    asks = f"**`{question.name}`** {question.asks}"
    if question.writes:
        asks += " (asked with `--write` alone)"
    if question.probe is None:
        asks += f" *Not asked: {question.unasked}.*"
    expected = f"`{question.expected}`"
    if question.expected_v2 is not None:
        expected += f", v2 `{question.expected_v2}`"
    switches = ", ".join(f"`{switch}`" for switch in question.switches) or "no switch"
    return asks, expected, question.source, question.breaks, switches


PARTS = tuple(
    Part("docs/assumptions.md", partial(questions_table, questions), markers=f"questions: {name}")
    for name, questions in LISTS.items()
)

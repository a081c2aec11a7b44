"""Write the questions about the ERP into docs/assumptions.md: the page and the questions are one list.

Run as: python -m tools.assumptions [--write]

Without `--write` it prints the tables. A test fails while page and questions differ.
"""

import argparse
import re
from collections.abc import Mapping, Sequence

from erp_gateway.doctor.questions import OWN_QUESTIONS as GATEWAY_QUESTIONS
from erpdoctor.conformance.question import Question
from erpdoctor.conformance.shared import SHARED_QUESTIONS
from supplier_returns.conformance.questions import OWN_QUESTIONS as RETURNS_QUESTIONS
from tools.packages import ROOT

PAGE = ROOT / "docs/assumptions.md"

LISTS: Mapping[str, Sequence[Question]] = {
    "shared": SHARED_QUESTIONS,
    "erp-gateway": GATEWAY_QUESTIONS,
    "supplier-returns": RETURNS_QUESTIONS,
}
"""The lists by the name that their marks on the page have."""

_HEAD = """\
| question | answer counted on | known from | what another answer breaks here | in erpsim |
|---|---|---|---|---|"""


def table(questions: Sequence[Question]) -> str:
    """Return the table of some questions."""
    return "\n".join([_HEAD, *(_row(question) for question in questions)])


def _row(question: Question) -> str:
    asks = f"**`{question.name}`** {question.asks}"
    if question.writes:
        asks += " (asked with `--write` alone)"
    if question.probe is None:
        asks += f" *Not asked: {question.unasked}.*"
    expected = f"`{question.expected}`"
    if question.expected_v2 is not None:
        expected += f", v2 `{question.expected_v2}`"
    switches = ", ".join(f"`{switch}`" for switch in question.switches) or "no switch"
    return f"| {asks} | {expected} | {question.source} | {question.breaks} | {switches} |"


def written_into(text: str) -> str:
    """Return the page with today's tables between their marks."""
    for name, questions in LISTS.items():
        begin, end = f"<!-- questions: {name} -->\n", f"<!-- end of questions: {name} -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        parts = pattern.split(text)
        if len(parts) != 2:
            raise ValueError(f"the page has {len(parts) - 1} places for {name}")
        text = f"{begin}{table(questions)}\n{end}".join(parts)
    return text


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true")
    if parser.parse_args().write:
        PAGE.write_text(written_into(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print("\n\n".join(map(table, LISTS.values())))


if __name__ == "__main__":
    main()

"""Results of questions as JSON and as text, without values of the installation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from erpclient.odata import Dialect
from erpdoctor.checks import Finding
from erpdoctor.conformance.question import DIFFERS, PAGE, UNANSWERED, Question, is_answer
from erpdoctor.report import Run
from servicekit.last_run import Outcome

FORM: Final = 1
"""Version of the JSON format. Raise it when a member changes its meaning."""

_VERDICTS: Final = {
    Outcome.OK: "as_expected",
    Outcome.WARN: "differs",
    Outcome.SKIPPED: "skipped",
    Outcome.FAIL: "unanswered",
}
_WORDS: Final = {
    Outcome.OK: "bien",
    Outcome.WARN: "distinto",
    Outcome.SKIPPED: "omitida",
    Outcome.FAIL: "sin respuesta",
}
_NUMBERED: Final = {
    Outcome.OK: "como se espera",
    Outcome.WARN: "distintas",
    Outcome.SKIPPED: "omitidas",
    Outcome.FAIL: "sin respuesta",
}


@frozen(kw_only=True)
class ConformanceReport(Run):
    """A run of questions: a difference is a warning, a question without an answer a failure.

    Attributes:
        questions: the questions, one for each result.
        dialect: the tested version.
        stays: a sentence for each created record that stays; for the terminal, since it names documents.
        calls: number of requests.
    """

    questions: Sequence[Question]
    dialect: Dialect
    stays: Sequence[str] = ()
    calls: int = 0

    @property
    def answers(self) -> Iterator[tuple[Question, Finding]]:
        """Questions with their answers."""
        return zip(self.questions, (result.finding for result in self.results), strict=True)

    def as_json(self) -> dict[str, Any]:
        """Return the run as JSON, without data that identifies the installation."""
        return {
            "conformance": FORM,
            "service": self.service,
            "version": self.version,
            "counts": {_VERDICTS[outcome]: number for outcome, number in self._numbers().items()},
            "calls": self.calls,
            "stays": len(self.stays),
            "questions": [
                {
                    "name": question.name,
                    "verdict": _VERDICTS[finding.outcome],
                    "expected": question.expected_of(self.dialect),
                    "seen": finding.seen if is_answer(finding) else None,
                    "reason": None if is_answer(finding) else finding.seen or "the question itself broke",
                }
                for question, finding in self.answers
            ],
        }

    def lines(self) -> Iterator[str]:
        """Yield the lines for people, in Spanish."""
        width = max((len(question.name) for question in self.questions), default=0)
        for question, finding in self.answers:
            answer_text = self._answer_text(question, finding)
            yield f"  {_WORDS[finding.outcome]:<14}{question.name:<{width}}  {answer_text}".rstrip()
            if finding.cause is DIFFERS:
                yield f"{' ' * 16}Qué cambia aquí y de dónde se sabe: {PAGE}, {question.name}"
        yield ""
        if self.stays:
            yield "Queda en el ERP:"
            yield from (f"  {sentence}" for sentence in self.stays)
            yield ""
        counts = ", ".join(f"{number} {_NUMBERED[outcome]}" for outcome, number in self._numbers().items())
        yield f"{len(self.questions)} preguntas, {self.calls} llamadas: {counts}"

    def _answer_text(self, question: Question, finding: Finding) -> str:
        expected = question.expected_of(self.dialect)
        if finding.cause is DIFFERS:
            return f"se espera {expected}, responde {finding.seen}"
        if finding.cause is None:
            return expected
        return finding.cause.text if finding.outcome is Outcome.SKIPPED else UNANSWERED.text

    def _numbers(self) -> Mapping[Outcome, int]:
        counts = self.counts
        return {outcome: counts[outcome] for outcome in _VERDICTS}

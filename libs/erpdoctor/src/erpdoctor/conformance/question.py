"""Questions to the ERP. Each tests one assumption of our code.

A question names the source of the expected answer, the consequence of another one, and the simulator's switch
that changes it.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final

from attrs import evolve, field, frozen

from erpclient.errors import ErpError
from erpclient.odata import Dialect
from erpdoctor.checks import Cause, Check, Finding, Group, fail, ok, skipped, warn
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.readings import QuestionSkipped, UnexpectedAnswer

PAGE: Final = "docs/assumptions.md"
CONFORMANCE: Final = Group("conformance", PAGE)

DIFFERS: Final = warn(
    "differs",
    "El ERP responde otra cosa que la que el programa supone.",
    remedy="Lea qué cambia aquí y de dónde se sabe lo que se espera.",
    english_remedy="Read what changes here and where the expectation comes from.",
)
UNANSWERED: Final = fail(
    "unanswered",
    "no hubo respuesta",
    remedy="Revise si el ERP está en marcha y repita.",
    english_remedy="Check that the ERP runs, and repeat.",
)
NEVER_ASKED: Final = skipped(
    "never_asked", "nunca se pregunta: haría daño, o no se puede provocar desde fuera"
)
NEEDS_WRITING: Final = skipped("needs_writing", "solo con --write, porque crea y cambia documentos de prueba")
NOTHING_THERE: Final = skipped("nothing_there", "la empresa no tiene el dato que hace falta para preguntar")
GAVE_UP: Final = skipped("gave_up", "no se preguntó: las preguntas anteriores quedaron sin respuesta")
CAUSES: Final[tuple[Cause, ...]] = (
    DIFFERS,
    UNANSWERED,
    NEVER_ASKED,
    NEEDS_WRITING,
    NOTHING_THERE,
    GAVE_UP,
)

UNREADABLE: Final = "unreadable"
"""Shown for a reply without the expected members."""

MOST_SILENT: Final = 3
"""Number of consecutive unanswered questions after which the run stops: each may take its whole timeout."""

Probe = Callable[[Fixture], Awaitable[str]]
"""Function that runs a question and returns the answer as a word or two of a small set, never a value of
the company's.
"""


@frozen
class Question:
    """One assumption of our code about the ERP; it decorates the probe that tests it.

    Attributes:
        name: stable, in lower case with hyphens; by default derived from the decorated probe's name.
        asks: the question, one sentence.
        expected: the answer that our code expects from v1, and from v2 unless that differs.
        expected_v2: the expected answer of v2, if it differs.
        source: source of the expected answer.
        breaks: consequence of another answer.
        switches: settings of the simulator that change the answer, as ``name=value``.
        probe: runs it; ``None`` for an untested assumption.
        unasked: reason why it is not tested.
        writes: whether running it changes data.
    """

    asks: str
    name: str = field(default="", kw_only=True)
    expected: str = field(kw_only=True)
    source: str = field(kw_only=True)
    breaks: str = field(kw_only=True)
    expected_v2: str | None = field(default=None, kw_only=True)
    switches: tuple[str, ...] = field(default=(), kw_only=True)
    probe: Probe | None = field(default=None, kw_only=True)
    unasked: str = field(default="", kw_only=True)
    writes: bool = field(default=False, kw_only=True)

    def __call__(self, probe: Probe) -> "Question":
        """Set the decorated probe; its name is the default name of the question."""
        return evolve(self, name=probe.__name__.lstrip("_").replace("_", "-"), probe=probe)

    def expected_of(self, dialect: Dialect) -> str:
        """Return the expected answer of a version."""
        if dialect is Dialect.V2 and self.expected_v2 is not None:
            return self.expected_v2
        return self.expected


question = Question
"""Decorator that makes a probe a question."""


def questions_in(module: Mapping[str, object]) -> tuple[Question, ...]:
    """Return the questions that a module defines, in their order, from its `globals()`."""
    return tuple(each for each in module.values() if isinstance(each, Question))


class Interview:
    """Runs questions in one session.

    Args:
        fixture: the session and sample records.
        writes: whether to run questions that change data.
    """

    def __init__(self, fixture: Fixture, *, writes: bool = False) -> None:
        self._fixture = fixture
        self._writes = writes
        self._silent = 0

    def check(self, question: Question) -> Check:
        """Return the check of a question, which raises no ERP error.

        After three consecutive unanswered questions the others are skipped.
        """
        run = partial(self._run, question)
        return CONFORMANCE.check(question.name, question.asks, run, *CAUSES, limit_s=None)

    async def _run(self, question: Question) -> Finding:
        if self._silent == MOST_SILENT:
            return GAVE_UP.found("the questions before it got no answer")
        finding = await self._ask(question)
        if finding.cause is UNANSWERED:
            self._silent += 1
        elif is_answer(finding):
            self._silent = 0
        return finding

    async def _ask(self, question: Question) -> Finding:
        if question.probe is None:
            return NEVER_ASKED.found(question.unasked)
        if question.writes and not self._writes:
            return NEEDS_WRITING.found("changes something; asked with --write alone")
        try:
            answer = await question.probe(self._fixture)
        except QuestionSkipped as error:
            return NOTHING_THERE.found(str(error))
        except UnexpectedAnswer as odd:
            answer = odd.word
        except (LookupError, TypeError, ValueError, AttributeError):
            answer = UNREADABLE  # missing members or other types: an unexpected reply
        except ErpError as error:
            return UNANSWERED.found(type(error).__name__)
        return ok(answer) if answer == question.expected_of(self._fixture.dialect) else DIFFERS.found(answer)


def is_answer(finding: Finding) -> bool:
    """Return whether a text is an answer of the ERP, not the reason for a missing one."""
    return finding.cause is None or finding.cause is DIFFERS

"""Asking the questions, one after another, and what came of each."""

import enum
from collections.abc import AsyncIterator, Iterable
from typing import Final

from attrs import frozen

from erpclient.errors import ErpError
from erpdoctor.conformance.ground import Ground
from erpdoctor.conformance.question import Question
from erpdoctor.conformance.readings import CannotAsk, OddAnswer

UNREADABLE: Final = "unreadable"
"""Shown for an answer that lacks what every answer of its kind has."""


MOST_SILENT: Final = 3
"""After so many questions in a row without an answer nothing more is asked: each may take its whole time."""


class Verdict(enum.Enum):
    """What came of a question."""

    AS_EXPECTED = "as_expected"
    DIFFERS = "differs"
    """The ERP answered otherwise than our code counts on."""
    SKIPPED = "skipped"
    """Not asked: the company has nothing to ask about, or asking would do harm."""
    UNANSWERED = "unanswered"
    """Asked, and no answer came."""


class Skip(enum.Enum):
    """Why a question was not asked."""

    NEVER_ASKED = "never_asked"
    """Asking would do harm, or can't be done from outside."""
    NEEDS_WRITING = "needs_writing"
    """Asking changes something, and this run may not."""
    NOTHING_THERE = "nothing_there"
    """The company has nothing to ask about."""
    GAVE_UP = "gave_up"
    """The questions before it got no answer."""


@frozen(kw_only=True)
class Finding:
    """What came of a question.

    Attributes:
        question: what was asked.
        verdict: what came of it.
        expected: the answer that our code counts on, of the version that was asked.
        seen: the answer; ``None`` without one.
        reason: why there is no answer; empty with one.
        skip: the same as a word, where it was not asked.
    """

    question: Question
    verdict: Verdict
    expected: str
    seen: str | None = None
    reason: str = ""
    skip: Skip | None = None


async def ask_all(
    questions: Iterable[Question], ground: Ground, *, writes: bool = False
) -> AsyncIterator[Finding]:
    """Ask one question after another.

    Args:
        questions: what to ask, in their order.
        ground: the session, and what is in the company.
        writes: whether questions are asked that change something.

    Yields:
        What came of each; after three in a row without an answer the rest is not asked.
    """
    silent = 0
    for question in questions:
        if silent == MOST_SILENT:
            yield _skipped(question, ground, Skip.GAVE_UP, "the questions before it got no answer")
            continue
        finding = await ask(question, ground, writes=writes)
        if finding.verdict is Verdict.UNANSWERED:
            silent += 1
        elif finding.seen is not None:
            silent = 0
        yield finding


def _skipped(question: Question, ground: Ground, skip: Skip, reason: str) -> Finding:
    return Finding(
        question=question,
        verdict=Verdict.SKIPPED,
        expected=question.expected_of(ground.dialect),
        reason=reason,
        skip=skip,
    )


async def ask(question: Question, ground: Ground, *, writes: bool = False) -> Finding:
    """Ask one question; no ERP error comes out."""
    expected = question.expected_of(ground.dialect)

    if question.probe is None:
        return _skipped(question, ground, Skip.NEVER_ASKED, question.unasked)
    if question.writes and not writes:
        return _skipped(question, ground, Skip.NEEDS_WRITING, "changes something; asked with --write alone")
    try:
        seen = await question.probe(ground)
    except CannotAsk as error:
        return _skipped(question, ground, Skip.NOTHING_THERE, str(error))
    except OddAnswer as odd:
        seen = odd.word
    except (LookupError, TypeError, ValueError, AttributeError):
        seen = UNREADABLE  # members that are missing, or of another kind: an answer nobody has thought of
    except ErpError as error:
        reason = type(error).__name__
        return Finding(question=question, verdict=Verdict.UNANSWERED, expected=expected, reason=reason)
    verdict = Verdict.AS_EXPECTED if seen == expected else Verdict.DIFFERS
    return Finding(question=question, verdict=verdict, expected=expected, seen=seen)

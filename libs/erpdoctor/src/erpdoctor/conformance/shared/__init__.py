"""The questions that both services rely on, in the order in which they run."""

from typing import Final

from erpdoctor.conformance.question import Question
from erpdoctor.conformance.shared.batches import BATCH_QUESTIONS
from erpdoctor.conformance.shared.filters import FILTER_QUESTIONS
from erpdoctor.conformance.shared.reading import READING_QUESTIONS
from erpdoctor.conformance.shared.sessions import SESSION_QUESTIONS
from erpdoctor.conformance.shared.tags import TAG_QUESTIONS
from erpdoctor.conformance.shared.writing import WRITE_QUESTIONS

SHARED_QUESTIONS: Final[tuple[Question, ...]] = (
    *SESSION_QUESTIONS,
    *READING_QUESTIONS,
    *FILTER_QUESTIONS,
    *TAG_QUESTIONS,
    *BATCH_QUESTIONS,
    *WRITE_QUESTIONS,
)
"""Both services rely on these answers."""

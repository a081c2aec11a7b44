"""The shared questions, in the order in which they are asked."""

from typing import Final

from erpclient.conformance.question import Question
from erpclient.conformance.shared.batches import BATCH_QUESTIONS
from erpclient.conformance.shared.filters import FILTER_QUESTIONS
from erpclient.conformance.shared.reading import READING_QUESTIONS
from erpclient.conformance.shared.sessions import SESSION_QUESTIONS
from erpclient.conformance.shared.tags import TAG_QUESTIONS
from erpclient.conformance.shared.writing import WRITE_QUESTIONS

SHARED_QUESTIONS: Final[tuple[Question, ...]] = (
    *SESSION_QUESTIONS,
    *READING_QUESTIONS,
    *FILTER_QUESTIONS,
    *TAG_QUESTIONS,
    *BATCH_QUESTIONS,
    *WRITE_QUESTIONS,
)
"""Both services rely on these answers."""

"""Conformance questions about behavior that only the gateway relies on."""

from typing import Final

from erp_gateway.doctor.conformance.amounts import AMOUNT_QUESTIONS
from erp_gateway.doctor.conformance.changes import CHANGE_QUESTIONS
from erp_gateway.doctor.conformance.combined_reads import COMBINED_READ_QUESTIONS
from erp_gateway.doctor.conformance.company import COMPANY_QUESTIONS
from erp_gateway.doctor.conformance.files import FILE_QUESTIONS
from erp_gateway.doctor.conformance.keys import KEY_QUESTIONS
from erp_gateway.doctor.conformance.lines import LINE_QUESTIONS
from erp_gateway.doctor.conformance.people import PEOPLE_QUESTIONS
from erp_gateway.doctor.conformance.tags import TAG_QUESTIONS
from erpdoctor.conformance.question import Question
from erpdoctor.conformance.shared import SHARED_QUESTIONS

OWN_QUESTIONS: Final[tuple[Question, ...]] = (
    *PEOPLE_QUESTIONS,
    *COMPANY_QUESTIONS,
    *KEY_QUESTIONS,
    *LINE_QUESTIONS,
    *TAG_QUESTIONS,
    *CHANGE_QUESTIONS,
    *COMBINED_READ_QUESTIONS,
    *AMOUNT_QUESTIONS,
    *FILE_QUESTIONS,
)
"""Questions of the gateway, in the order in which they run."""

QUESTIONS: Final[tuple[Question, ...]] = (*OWN_QUESTIONS, *SHARED_QUESTIONS)
"""All questions of `erp-gateway conformance`."""

"""docs/assumptions.md and the questions to the ERP are one list, and each says where it is known from."""

import re

from tools.assumptions import LISTS, PAGE, written_into

FEWEST = 60
"""Assumptions that the page has at least."""


def test_the_page_lists_the_questions_as_they_are() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written_into(page), "write it again: python -m tools.assumptions --write"


def test_names_are_used_once_and_there_are_enough() -> None:
    names = [question.name for questions in LISTS.values() for question in questions]
    assert len(set(names)) == len(names)
    assert len(names) >= FEWEST


def test_every_assumption_tells_its_source_and_what_hangs_on_it() -> None:
    for questions in LISTS.values():
        for question in questions:
            assert question.source.strip(), question.name
            assert question.breaks.strip(), question.name
            assert "|" not in question.asks + question.source + question.breaks, question.name


def test_the_page_names_nothing_that_is_not_asked_or_said_to_be_unasked() -> None:
    known = {question.name for questions in LISTS.values() for question in questions}
    assert set(re.findall(r"\*\*`([a-z0-9-]+)`\*\*", PAGE.read_text(encoding="utf-8"))) == known

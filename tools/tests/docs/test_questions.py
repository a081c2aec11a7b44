"""Each question about the ERP has a name of its own, a source and a reason."""

from tools.docs.questions import LISTS

FEWEST = 60


def test_question_names_are_unique_and_sufficient_in_number() -> None:
    names = [question.name for questions in LISTS.values() for question in questions]
    assert len(set(names)) == len(names)
    assert len(names) >= FEWEST


def test_every_question_has_a_source_and_a_consequence() -> None:
    for questions in LISTS.values():
        for question in questions:
            assert question.source.strip(), question.name
            assert question.breaks.strip(), question.name
            assert "|" not in question.asks + question.source + question.breaks, question.name

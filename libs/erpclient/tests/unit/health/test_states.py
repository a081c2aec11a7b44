"""The ERP's health as values: what each event makes of it."""

from attrs import evolve

from erpclient.health.states import Condition, Health

WELL = Health()


def silenced(times: int, *, now: float = 100.0, health: Health = WELL) -> Health:
    for _ in range(times):
        health = health.after_unanswered(now)
    return health


def test_the_third_unanswered_call_in_a_row_starts_a_probe() -> None:
    assert silenced(2) == Health(unanswered=2)
    assert silenced(3) == Health(Condition.SUSPECTED, unanswered=3, probe_at=100.0)


def test_an_answer_in_between_forgets_the_silences() -> None:
    assert silenced(2).after_answer() == WELL
    assert silenced(2, health=silenced(2).after_answer()).condition is Condition.WELL


def test_further_unanswered_calls_change_nothing() -> None:
    for known in (silenced(3), silenced(3).after_failed_probe(105.0)):
        assert known.after_unanswered(105.0) is known


def test_a_probe_that_began_is_due_no_more_and_gives_a_rest_of_five_seconds() -> None:
    assert silenced(3).after_probe_began(100.0) == Health(
        Condition.SUSPECTED, unanswered=3, probe_at=None, no_probe_before=105.0
    )


def test_a_failed_probe_makes_it_unwell_and_the_next_follows_five_seconds_after_its_beginning() -> None:
    suspected = silenced(3).after_probe_began(100.0)
    assert suspected.after_failed_probe(100.1) == Health(Condition.UNWELL, 3, 105.0, 105.0)
    assert suspected.after_failed_probe(107.0) == Health(Condition.UNWELL, 3, 107.0, 105.0)


def test_any_answer_makes_it_well_and_the_rest_goes_on() -> None:
    unwell = silenced(3).after_probe_began(100.0).after_failed_probe(100.1)
    assert unwell.after_answer() == Health(no_probe_before=105.0)


def test_while_the_probe_rests_silences_are_counted_and_the_next_one_after_it_is_suspicious() -> None:
    rested = Health(no_probe_before=105.0)
    counted = silenced(7, now=104.9, health=rested)
    assert counted == evolve(rested, unanswered=7)
    assert counted.after_unanswered(105.0) == Health(Condition.SUSPECTED, 8, 105.0, 105.0)

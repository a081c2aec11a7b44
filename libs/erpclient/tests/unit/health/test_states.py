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


def test_an_answer_resets_the_count_of_unanswered_calls() -> None:
    assert silenced(2).after_answer() == WELL
    assert silenced(2, health=silenced(2).after_answer()).condition is Condition.WELL


def test_further_unanswered_calls_do_not_change_the_state() -> None:
    for known in (silenced(3), silenced(3).after_failed_probe(105.0)):
        assert known.after_unanswered(105.0) is known


def test_a_started_probe_blocks_the_next_one_for_five_seconds() -> None:
    assert silenced(3).after_probe_began(100.0) == Health(
        Condition.SUSPECTED, unanswered=3, probe_at=None, no_probe_before=105.0
    )


def test_a_failed_probe_makes_the_erp_unwell_and_schedules_the_next() -> None:
    suspected = silenced(3).after_probe_began(100.0)
    assert suspected.after_failed_probe(100.1) == Health(Condition.UNWELL, 3, 105.0, 105.0)
    assert suspected.after_failed_probe(107.0) == Health(Condition.UNWELL, 3, 107.0, 105.0)


def test_any_answer_makes_the_erp_well_and_keeps_the_probe_pause() -> None:
    unwell = silenced(3).after_probe_began(100.0).after_failed_probe(100.1)
    assert unwell.after_answer() == Health(no_probe_before=105.0)


def test_unanswered_calls_during_the_probe_pause_count_towards_suspicion() -> None:
    rested = Health(no_probe_before=105.0)
    counted = silenced(7, now=104.9, health=rested)
    assert counted == evolve(rested, unanswered=7)
    assert counted.after_unanswered(105.0) == Health(Condition.SUSPECTED, 8, 105.0, 105.0)

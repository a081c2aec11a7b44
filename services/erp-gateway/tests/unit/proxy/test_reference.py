"""What memory keeps, for how long, within which bound, and what makes it forget."""

import tracemalloc

import pytest

from erp_gateway.cache import MAX_ENTRIES, CachedAnswer
from erp_gateway.proxy.reference import MAX_BYTES, UNSURE_S, Answer, ReferenceCache
from erpclient import ErpList, ErpRecord
from servicekit.clock import ManualClock

ONE, TWO = ErpList(b"[1]", 1), ErpList(b"[2]", 1)
QUERY = "?$top=50"


@pytest.fixture
def memory(clock: ManualClock) -> ReferenceCache:
    return ReferenceCache(["Warehouses", "Currencies"], clock, fresh_s=60, stale_s=300)


def fill(memory: ReferenceCache, answer: Answer = ONE, *, of: str = "Warehouses", query: str = QUERY) -> None:
    memory.keep(memory.read_sent(of), query, answer)


def held(memory: ReferenceCache, of: str = "Warehouses", query: str = QUERY) -> Answer | None:
    found = memory.fresh(of, query)
    return None if found is None else found.answer


def test_an_answer_is_fresh_until_its_time_and_may_be_given_later_where_there_is_no_other(
    memory: ReferenceCache, clock: ManualClock
) -> None:
    fill(memory)
    clock.advance(59.5)
    assert memory.fresh("Warehouses", QUERY) == CachedAnswer(ONE, 59.5)
    clock.advance(0.5)
    assert memory.fresh("Warehouses", QUERY) is None
    clock.advance(239.5)
    assert memory.stale("Warehouses", QUERY) == CachedAnswer(ONE, 299.5)
    clock.advance(0.5)
    assert memory.stale("Warehouses", QUERY) is None
    assert (len(memory), memory.size) == (0, 0)


def test_an_answers_age_counts_from_when_its_call_was_sent(
    memory: ReferenceCache, clock: ManualClock
) -> None:
    sent = memory.read_sent("Warehouses")
    clock.advance(20)
    memory.keep(sent, QUERY, ONE)
    assert memory.fresh("Warehouses", QUERY) == CachedAnswer(ONE, 20)


def test_resources_and_queries_are_kept_apart(memory: ReferenceCache) -> None:
    fill(memory)
    fill(memory, TWO, of="Currencies")
    assert (held(memory), held(memory, "Currencies")) == (ONE, TWO)
    assert held(memory, query="?$top=51") is None


@pytest.mark.parametrize("unknown", [False, True])
def test_a_write_forgets_its_own_resource_when_it_is_sent(memory: ReferenceCache, unknown: bool) -> None:
    fill(memory)
    fill(memory, TWO, of="Currencies")
    writing = memory.writing("Warehouses")
    assert held(memory) == ONE
    writing.sent()
    assert held(memory) is None
    fill(memory)
    assert held(memory) is None, "what is read while a write is with the ERP is kept"
    writing.ended(unknown=unknown)
    assert held(memory, "Currencies") == TWO


def test_what_was_read_by_a_call_sent_before_the_end_of_a_write_is_never_kept(
    memory: ReferenceCache,
) -> None:
    before = memory.read_sent("Warehouses")
    writing = memory.writing("Warehouses")
    writing.sent()
    during = memory.read_sent("Warehouses")
    writing.ended(unknown=False)
    memory.keep(before, QUERY, ONE)
    memory.keep(during, QUERY, ONE)
    assert held(memory) is None
    fill(memory, TWO)
    assert held(memory) == TWO


def test_a_write_that_never_left_forgets_all_the_same_and_hinders_nothing_later(
    memory: ReferenceCache,
) -> None:
    fill(memory)
    memory.writing("Warehouses").ended(unknown=False)
    assert held(memory) is None
    fill(memory)
    assert held(memory) == ONE


def test_two_writes_at_once_must_both_have_ended(memory: ReferenceCache) -> None:
    first, second = memory.writing("Warehouses"), memory.writing("Warehouses")
    first.sent()
    second.sent()
    first.ended(unknown=False)
    fill(memory)
    assert held(memory) is None
    second.ended(unknown=False)
    fill(memory)
    assert held(memory) == ONE


def test_the_read_that_was_sent_later_wins(memory: ReferenceCache) -> None:
    earlier, later = memory.read_sent("Warehouses"), memory.read_sent("Warehouses")
    memory.keep(later, QUERY, TWO)
    memory.keep(earlier, QUERY, ONE)
    assert held(memory) == TWO


def test_after_an_unknown_outcome_nothing_is_kept_or_answered_for_ten_minutes(
    memory: ReferenceCache, clock: ManualClock
) -> None:
    fill(memory)
    writing = memory.writing("Warehouses")
    writing.sent()
    writing.ended(unknown=True)
    assert memory.stale("Warehouses", QUERY) is None
    clock.advance(UNSURE_S - 1)
    sent_in_time = memory.read_sent("Warehouses")
    fill(memory)
    assert (held(memory), len(memory)) == (None, 0)
    clock.advance(1)
    memory.keep(sent_in_time, QUERY, ONE)
    assert held(memory) is None, "what was sent within the ten minutes is kept after them"
    fill(memory)
    assert held(memory) == ONE


def test_writes_to_other_resources_are_nothing_to_it(memory: ReferenceCache) -> None:
    fill(memory)
    writing = memory.writing("Orders")
    writing.sent()
    writing.ended(unknown=True)
    assert held(memory) == ONE


@pytest.mark.parametrize(("fresh_s", "stale_s", "holds"), [(0, 0, False), (60, 0, True), (0, 60, True)])
def test_switched_off_it_holds_nothing(
    clock: ManualClock, fresh_s: float, stale_s: float, holds: bool
) -> None:
    memory = ReferenceCache(["Warehouses"], clock, fresh_s=fresh_s, stale_s=stale_s)
    assert memory.holds("Warehouses") is holds
    assert not memory.holds("Orders")


def test_without_freshness_an_answer_is_only_given_where_there_is_no_other(clock: ManualClock) -> None:
    memory = ReferenceCache(["Warehouses"], clock, fresh_s=0, stale_s=60)
    fill(memory)
    assert memory.fresh("Warehouses", QUERY) is None
    assert memory.stale("Warehouses", QUERY) == CachedAnswer(ONE, 0)


def test_memory_stays_within_its_bound_under_a_hundred_thousand_different_queries(
    memory: ReferenceCache,
) -> None:
    page = ErpList(b"x" * 40_000, 1)
    for number in range(100_000):
        fill(memory, page if number % 2 else ONE, query=f"?$skip={number}")
        assert memory.size <= MAX_BYTES
        assert len(memory) <= MAX_ENTRIES
    assert len(memory) > 700
    for number in range(2_000):
        fill(memory, query=f"?$top={number}")
    assert len(memory) == MAX_ENTRIES


def test_an_answer_larger_than_the_bound_is_not_kept_and_drives_nothing_out(memory: ReferenceCache) -> None:
    fill(memory)
    fill(memory, ErpRecord(b"x" * MAX_BYTES, None), query="(1)?")
    assert held(memory, query="(1)?") is None
    assert held(memory) == ONE


def test_what_was_used_least_recently_goes_first(memory: ReferenceCache) -> None:
    for number in range(MAX_ENTRIES):
        fill(memory, query=f"?$skip={number}")
    assert held(memory, query="?$skip=0") == ONE
    fill(memory)
    assert held(memory, query="?$skip=0") == ONE
    assert held(memory, query="?$skip=1") is None


def test_what_it_counts_is_no_less_than_what_it_takes(memory: ReferenceCache) -> None:
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(MAX_ENTRIES):
            fill(memory, ErpRecord(b"%d" % number * 20, f'W/"{number}"'), query=f"({number})?")
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before <= memory.size

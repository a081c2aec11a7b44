"""The clocks: the machine's moves by itself, the manual one does not."""

from datetime import UTC, datetime, timedelta, timezone

from servicekit.clock import ManualClock, SystemClock, iso_utc


def test_the_system_clock_has_a_time_zone_and_never_goes_back() -> None:
    clock = SystemClock()
    assert clock.now().tzinfo is UTC
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(minutes=1)
    first = clock.monotonic()
    assert clock.monotonic() >= first


def test_a_manual_clock_only_moves_when_advanced() -> None:
    clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
    before = clock.monotonic()
    clock.advance(5)
    assert (clock.now(), clock.monotonic() - before) == (datetime(2026, 3, 2, 0, 0, 5, tzinfo=UTC), 5)
    clock.set_wall_clock(datetime(2020, 1, 1, tzinfo=UTC))
    assert (clock.now().year, clock.monotonic() - before) == (2020, 5)


def test_times_are_written_in_utc_and_sort_as_texts() -> None:
    santiago = timezone(timedelta(hours=-3))
    assert iso_utc(datetime(2026, 3, 2, 11, 5, 9, 120_999, santiago)) == "2026-03-02T14:05:09.120Z"
    assert iso_utc(datetime(2026, 3, 2, tzinfo=UTC)) < iso_utc(datetime(2026, 3, 2, 0, 0, 0, 1000, UTC))

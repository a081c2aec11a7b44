"""Numbers of writes sort as the writes came."""

from datetime import UTC, datetime, timedelta

from erp_gateway.writes.numbers import WriteNumbers, first_number_at

NOW = datetime(2026, 3, 2, 14, 5, 9, 120_000, tzinfo=UTC)
LATER = NOW + timedelta(milliseconds=1)


def test_numbers_increase_even_if_the_clock_stops_or_goes_back() -> None:
    numbers = WriteNumbers()
    made = [numbers.next(moment) for moment in (NOW, NOW, LATER, NOW, NOW, LATER, LATER + timedelta(days=1))]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert {len(number) for number in made} == {26}


def test_moments_before_1970_have_the_lowest_number() -> None:
    long_ago = datetime(1926, 1, 1, tzinfo=UTC)
    assert first_number_at(long_ago) == first_number_at(datetime(1970, 1, 1, tzinfo=UTC)) == "0" * 26


def test_the_first_number_of_a_moment_separates_earlier_and_later_writes() -> None:
    numbers = WriteNumbers()
    assert numbers.next(NOW) < first_number_at(LATER) < numbers.next(LATER)

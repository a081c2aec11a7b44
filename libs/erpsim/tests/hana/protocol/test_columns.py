"""Day numbers of the protocol: the Julian calendar's before 15 October 1582, the Gregorian's from then on."""

import datetime as dt

import pytest

from erpsim.hana.protocol.columns import day_number, day_of


@pytest.mark.parametrize(
    ("day", "number"),
    [
        (dt.date(1, 1, 1), 1),
        (dt.date(1582, 10, 4), 577_737),
        (dt.date(1582, 10, 15), 577_738),
        (dt.date(2024, 2, 29), 738_947),
    ],
)
def test_the_numbers_are_those_of_the_driver(day: dt.date, number: int) -> None:
    assert (day_number(day), day_of(number)) == (number, day)


def test_every_day_is_converted_except_julian_leap_days() -> None:
    missing = []
    for number in range(1, 578_000):
        try:
            assert day_number(day_of(number)) == number
        except ValueError:
            missing.append(number)
    assert len(missing) == 12, "29 February of 100, 200, 300, 500 ... 1500"

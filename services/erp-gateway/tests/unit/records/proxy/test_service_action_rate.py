"""How many service actions a person may run in a minute."""

import pytest

from erp_gateway.records.proxy.errors import RateLimited
from erp_gateway.records.proxy.service_action_rate import MOST_PER_MINUTE, ServiceActionRate
from servicekit.clock import ManualClock


def admitted(rate: ServiceActionRate, web_user: str, count: int) -> int:
    """Return how many of `count` actions are admitted."""
    done = 0
    for _ in range(count):
        try:
            rate.take(web_user)
        except RateLimited:
            continue
        done += 1
    return done


def test_each_user_has_120_service_actions_per_minute(clock: ManualClock) -> None:
    rate = ServiceActionRate(clock)
    assert admitted(rate, "luis", 500) == MOST_PER_MINUTE == 120
    assert admitted(rate, "eva", 500) == 120
    clock.advance(59)
    assert admitted(rate, "luis", 1) == 0
    with pytest.raises(RateLimited) as refused:
        rate.take("luis")
    assert refused.value.headers["Retry-After"] == "1"
    clock.advance(1)
    assert admitted(rate, "luis", 500) == 120


def test_the_minute_starts_with_each_users_first_action(clock: ManualClock) -> None:
    rate = ServiceActionRate(clock, most=2)
    rate.take("luis")
    clock.advance(30)
    rate.take("eva")
    assert admitted(rate, "luis", 2) == 1
    clock.advance(30)
    assert admitted(rate, "luis", 3) == 2
    assert admitted(rate, "eva", 3) == 1


def test_minutes_that_are_over_are_forgotten(clock: ManualClock) -> None:
    rate = ServiceActionRate(clock)
    for number in range(1000):
        rate.take(f"user{number}")
        clock.advance(1)
    assert len(rate._minutes) <= 60

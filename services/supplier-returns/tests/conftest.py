"""Fixtures used by more than one folder of tests."""

from datetime import UTC, datetime

import pytest

from servicekit.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, 14, 5, 9, tzinfo=UTC))

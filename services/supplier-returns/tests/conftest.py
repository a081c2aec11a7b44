"""Makes the doubles importable and gives the fixtures used by more than one folder of tests."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from servicekit.clock import ManualClock

sys.path.append(str(Path(__file__).parent / "doubles"))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, 14, 5, 9, tzinfo=UTC))

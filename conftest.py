"""What holds for all packages' tests: how slow a machine may be, whose logs are whose, what is measured."""

from collections.abc import Generator, Iterator

import coverage
import pytest
import structlog
from hypothesis import HealthCheck, settings

settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("project")


@pytest.fixture(autouse=True)
def _logs_as_they_were() -> Iterator[None]:
    """Undo what a command run in process made of the logs: its least level would silence tests after it."""
    yield
    if structlog.is_configured():
        structlog.reset_defaults()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Leave out of the coverage what made-up examples reach: a floor must not hang on which ones came up.

    Each branch has a fixed example, so nothing is lost; and measuring them makes them half as slow again.
    """
    made_up = item.get_closest_marker("hypothesis") is not None
    measured = coverage.Coverage.current() if made_up else None
    if measured is None:
        return (yield)
    measured.stop()
    try:
        return (yield)
    finally:
        measured.start()

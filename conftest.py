"""What holds for the tests of every package: how slow a machine may be, whose logs are whose."""

from collections.abc import Iterator

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

"""Timeouts of the doctor's calls to the Service Layer."""

from typing import Final

from attrs import evolve

from erpclient import ErpSettings
from erpdoctor.checks import STEP_LIMIT_S

MOST_LOGIN_S: Final = 20.0
"""Login timeout: a successful login takes 3 to 8 s, a refused one about 10 s."""


def patient(settings: ErpSettings) -> ErpSettings:
    """Return the same settings with a doctor's timeouts."""
    return evolve(
        settings,
        timeout_s=min(STEP_LIMIT_S, settings.timeout_s),
        connect_timeout_s=STEP_LIMIT_S,
        login_timeout_s=min(MOST_LOGIN_S, settings.login_timeout_s),
    )

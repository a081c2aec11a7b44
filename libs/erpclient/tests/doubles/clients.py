"""Clients of the scripted ERP, with settings small enough for tests."""

from typing import Any

from manual_clock import ManualClock
from recording_observer import RecordingObserver
from scripted_erp import ScriptedErp

from erpclient import Caller, Credentials, ErpClient, ErpSettings

PASSWORD = "planted-password"
CREDENTIALS = Credentials("SBO_DEMO", "manager", PASSWORD)
ANA = Caller("ana")


def make_client(
    erp: ScriptedErp,
    *,
    clock: ManualClock | None = None,
    observer: RecordingObserver | None = None,
    renewable: bool = True,
    version: str = "v1",
    **settings: Any,
) -> ErpClient:
    """A client of the server; keywords that it does not know go to its settings."""
    url = erp.url.removesuffix("v1") + version
    defaults = {"timeout_s": 5.0, "login_timeout_s": 5.0, "connect_timeout_s": 2.0, "slow_call_s": 1e9}
    return ErpClient(
        ErpSettings(url, **{**defaults, **settings}),
        CREDENTIALS,
        renewable=renewable,
        clock=clock,
        observer=observer,
    )

"""Response body of `GET /api/system`."""

from datetime import datetime
from importlib.metadata import version
from typing import Final, Literal

from attrs import frozen

VERSION: Final = version("erp-gateway")


@frozen(kw_only=True)
class ErpState:
    """Health of the ERP, as in `GET /api/health/erp`."""

    status: Literal["ok", "unavailable"]
    reason: str | None
    ping: str
    session: str


@frozen(kw_only=True)
class WaitingUser:
    """Waiting requests of one user; `anonymous` counts all sign-ins."""

    user: str
    waiting: int
    longest_s: float


@frozen(kw_only=True)
class QueueState:
    """The queue before the ERP; the user who used the ERP least recently comes first."""

    waiting: int
    running: int
    users: tuple[WaitingUser, ...]


@frozen(kw_only=True)
class SessionsState:
    """Number of live sessions."""

    live: int


@frozen(kw_only=True)
class ReportGatewayState:
    """The report gateway and its queue."""

    configured: bool
    waiting: int
    running: int


@frozen(kw_only=True)
class DatabaseState:
    """Queries on the ERP's database; `engine` is None if it is not configured."""

    engine: str | None
    waiting: int
    running: int


@frozen(kw_only=True)
class PrintingState:
    """Printing of HTML reports; `available` is true if the engine is installed."""

    engine: str
    available: bool
    waiting: int
    running: int


@frozen(kw_only=True)
class StoreState:
    """Engine of the store: `sqlite` or `postgresql`."""

    engine: str


@frozen(kw_only=True)
class AuditState:
    """Number of audit records that the store has not taken yet."""

    owed: int


@frozen(kw_only=True)
class LogState:
    """Log lines dropped since the start, because the output did not take them."""

    dropped_audit: int
    dropped_other: int


@frozen(kw_only=True)
class FailedRequest:
    """A failed request; its log line has the same `request_id`."""

    at: datetime
    method: str
    route: str | None
    status: int
    code: str | None
    request_id: str


@frozen(kw_only=True)
class DoctorState:
    """The last run of the doctor; `failed` names the checks that failed, at most 50."""

    at: datetime
    ok: int
    warnings: int
    failures: int
    skipped: int
    failed: tuple[str, ...]


@frozen(kw_only=True)
class SystemAnswer:
    """State of the service at this moment."""

    version: str
    started_at: datetime
    uptime_s: int
    erp: ErpState
    queue: QueueState
    sessions: SessionsState
    report_gateway: ReportGatewayState
    database: DatabaseState
    printing: PrintingState
    store: StoreState
    audit: AuditState
    log: LogState
    doctor: DoctorState | None
    errors: tuple[FailedRequest, ...]

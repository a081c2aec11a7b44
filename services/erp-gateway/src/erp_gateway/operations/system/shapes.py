"""Response body of `GET /api/system`."""

from datetime import datetime
from importlib.metadata import version
from typing import Final, Literal

from attrs import frozen

VERSION: Final = version("erp-gateway")


@frozen(kw_only=True)
class ErpState:
    """Whether the ERP can be used, as `GET /api/health/erp` tells it."""

    status: Literal["ok", "unavailable"]
    reason: str | None
    ping: str
    session: str


@frozen(kw_only=True)
class WaitingUser:
    """One user's waiting requests; `anonymous` are all who are signing in."""

    user: str
    waiting: int
    longest_s: float


@frozen(kw_only=True)
class QueueState:
    """The queue before the ERP; the user with the least recent use of the ERP comes first."""

    waiting: int
    running: int
    users: tuple[WaitingUser, ...]


@frozen(kw_only=True)
class SessionsState:
    """How many people are signed in."""

    live: int


@frozen(kw_only=True)
class ReportGatewayState:
    """The report gateway and its queue."""

    configured: bool
    waiting: int
    running: int


@frozen(kw_only=True)
class DatabaseState:
    """Reads of the ERP's database; `engine` is None where it is not configured."""

    engine: str | None
    waiting: int
    running: int


@frozen(kw_only=True)
class PrintingState:
    """Printing of HTML reports; `available` tells whether there is something to print with."""

    engine: str
    available: bool
    waiting: int
    running: int


@frozen(kw_only=True)
class StoreState:
    """What keeps permissions, audit and ledger: `sqlite` or `postgresql`."""

    engine: str


@frozen(kw_only=True)
class AuditState:
    """Audit records that the store has not taken yet."""

    owed: int


@frozen(kw_only=True)
class LogState:
    """Log lines that nobody took, since the start."""

    dropped_audit: int
    dropped_other: int


@frozen(kw_only=True)
class FailedRequest:
    """One request that failed; its line in the log has the same `request_id`."""

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
    """How the service is at this moment."""

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

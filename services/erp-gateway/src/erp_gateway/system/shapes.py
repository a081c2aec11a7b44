"""What `GET /api/system` answers. Members are added as the service grows; none changes its meaning."""

from datetime import datetime
from typing import Final, Literal

from attrs import frozen


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
    """The queue before the ERP; users in the order of their turns."""

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


EXAMPLE: Final = {
    "version": "0.0.1",
    "startedAt": "2026-03-02T06:00:00.000Z",
    "uptimeS": 29109,
    "erp": {"status": "ok", "reason": None, "ping": "pong", "session": "active"},
    "queue": {"waiting": 3, "running": 1, "users": [{"user": "ana", "waiting": 3, "longestS": 1.25}]},
    "sessions": {"live": 14},
    "reportGateway": {"configured": True, "waiting": 0, "running": 1},
    "database": {"engine": "hana", "waiting": 0, "running": 2},
    "printing": {"engine": "browser", "available": True, "waiting": 0, "running": 0},
    "store": {"engine": "sqlite"},
    "audit": {"owed": 0},
    "log": {"droppedAudit": 0, "droppedOther": 0},
    "doctor": {
        "at": "2026-03-02T05:00:00.000Z",
        "ok": 44,
        "warnings": 1,
        "failures": 1,
        "skipped": 3,
        "failed": ["network.tls"],
    },
    "errors": [
        {
            "at": "2026-03-02T14:05:09.120Z",
            "method": "GET",
            "route": "/api/sl/{resource}",
            "status": 504,
            "code": "upstream_timeout",
            "requestId": "01JNB0K6T4W5C8Q2V7M3R9XZAE",
        }
    ],
}

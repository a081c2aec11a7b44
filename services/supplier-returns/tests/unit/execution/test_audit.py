"""Audit line of an execution."""

import pytest
from structlog.testing import capture_logs

from erpclient import ErpServerError
from servicekit.erp.errors import OutcomeUnknown, OutcomeUnknownTimeout
from servicekit.errors import ServiceError
from supplier_returns.execution.audit import ExecutionAudit
from supplier_returns.planning.errors import PlanningBusy, StaleVersion
from supplier_returns.web.audit_log import Action
from supplier_returns.web.session_errors import SessionExpired

LOG = ExecutionAudit(Action.EXECUTE, "bodega", "10.0.0.7", 12)
LINE = {
    "event": "AUDIT", "log_level": "info", "action": "returns_execute", "user": "bodega", "ip": "10.0.0.7",
    "resource": "planificaciones", "key": "12",
}  # fmt: skip


@pytest.mark.parametrize(
    ("error", "result", "reason"),
    [
        (StaleVersion(2), "denied", "stale_version"),
        (PlanningBusy(), "error", "planning_busy"),
        (SessionExpired(), "error", "session_expired"),
        (OutcomeUnknown(), "unknown", "outcome_unknown"),
        (OutcomeUnknownTimeout(), "unknown", "outcome_unknown"),
    ],
)
def test_refusals_are_denied_failures_are_errors_and_lost_writes_unknown(
    error: ServiceError, result: str, reason: str
) -> None:
    with capture_logs() as logs:
        LOG.failed(error)
    assert logs == [{**LINE, "result": result, "reason": reason}]


def test_a_failed_read_is_an_error_with_its_cause() -> None:
    error = ErpServerError(502, None, "")
    with capture_logs() as logs:
        LOG.failed(error)
    assert logs == [{**LINE, "result": "error", "reason": "upstream_failed", "cause": str(error)}]


def test_an_unexpected_error_has_a_traceback() -> None:
    error = ZeroDivisionError("x")
    with capture_logs() as logs:
        LOG.failed(error)
    assert logs == [{**LINE, "result": "error", "reason": "internal_error", "exc_info": error}]

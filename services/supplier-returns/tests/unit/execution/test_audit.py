"""How an execution's end is told in the log, and what it waits for."""

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
def test_what_a_rule_refused_is_denied_what_failed_an_error_and_a_lost_write_unknown(
    error: ServiceError, result: str, reason: str
) -> None:
    with capture_logs() as logs:
        LOG.failed(error)
    assert logs == [{**LINE, "result": result, "reason": reason}]


def test_what_the_erp_failed_to_tell_is_an_error_with_its_cause() -> None:
    error = ErpServerError(502, None, "")
    with capture_logs() as logs:
        LOG.failed(error)
    assert logs == [{**LINE, "result": "error", "reason": "upstream_failed", "cause": str(error)}]


def test_an_error_that_nobody_expected_comes_with_its_trace() -> None:
    error = ZeroDivisionError("x")
    with capture_logs() as logs:
        LOG.failed(error)
    assert logs == [{**LINE, "result": "error", "reason": "internal_error", "exc_info": error}]

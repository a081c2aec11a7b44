"""Response to each failed call to the ERP."""

import pytest

from erpclient import (
    CallerGone,
    ErpError,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyTooLarge,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    ErpUnwell,
    Phase,
    QueueClosed,
    QueueFull,
    QueueTimeout,
    SessionEnded,
)
from servicekit.errors import ServiceError
from supplier_returns.web.error_map import erp_write, upstream_service_error

NO_CONNECTION = "No se pudo conectar con el Service Layer"
CASES: list[tuple[ErpError, int, str, int, str]] = [
    (ErpUnreachable("EHOSTUNREACH", Phase.CONNECT), 502, "upstream_unreachable", 502, "upstream_unreachable"),
    (ErpUnreachable("ECONNRESET", Phase.ANSWER), 502, "upstream_unreachable", 502, "outcome_unknown"),
    (ErpTimeout(Phase.CONNECT), 504, "upstream_unreachable", 504, "upstream_unreachable"),
    (ErpTimeout(Phase.ANSWER), 504, "upstream_timeout", 504, "outcome_unknown"),
    (SessionEnded(), 401, "session_expired", 401, "session_expired"),
    (ErpLoginRejected(301, "x"), 401, "session_expired", 401, "session_expired"),
    (ErpRefused(400, -5002, "x"), 400, "upstream_rejected", 400, "upstream_rejected"),
    (ErpRefused(403, -6006, "x"), 403, "erp_forbidden", 403, "erp_forbidden"),
    (ErpRefused(404, -2028, "x"), 404, "record_not_found", 404, "record_not_found"),
    (ErpRefused(409, None, ""), 409, "upstream_conflict", 409, "upstream_conflict"),
    (ErpRefused(412, -2039, "x"), 409, "upstream_conflict", 409, "upstream_conflict"),
    (ErpRefused(429, None, ""), 503, "upstream_busy", 503, "upstream_busy"),
    (ErpServerError(500, None, ""), 502, "upstream_failed", 502, "outcome_unknown"),
    (ErpServerError(503, None, ""), 503, "upstream_busy", 502, "outcome_unknown"),
    (ErpReplyUnreadable("truncated"), 502, "upstream_unreadable", 502, "outcome_unknown"),
    (QueueFull("user"), 503, "queue_full", 503, "queue_full"),
    (QueueTimeout(), 503, "queue_timeout", 503, "queue_timeout"),
    (ErpReplyTooLarge(), 502, "reply_too_large", 502, "outcome_unknown"),
    (QueueClosed(), 503, "shutting_down", 503, "shutting_down"),
    (ErpUnwell(), 503, "erp_unavailable", 503, "erp_unavailable"),
    (CallerGone(), 503, "client_gone", 503, "client_gone"),
]


@pytest.mark.parametrize(
    ("error", "status", "code", "write_status", "write_code"),
    CASES,
    ids=[str(case[0])[:40] for case in CASES],
)
def test_every_erp_error_has_its_response(
    error: ErpError, status: int, code: str, write_status: int, write_code: str
) -> None:
    read = upstream_service_error(error)
    assert (read.status, read.code) == (status, code)
    with pytest.raises(ServiceError) as caught, erp_write():
        raise error
    assert (caught.value.status, caught.value.code) == (write_status, write_code)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    "code", ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ECONNRESET", "ETIMEDOUT", "ENOTFOUND", "CERT"]
)
def test_the_network_code_ends_the_fixed_text(code: str) -> None:
    error = upstream_service_error(ErpUnreachable(code, Phase.CONNECT))
    assert error.body("r")["message"] == f"{NO_CONNECTION} ({code})"


def test_a_connection_timeout_has_the_fixed_text() -> None:
    assert upstream_service_error(ErpTimeout(Phase.CONNECT)).detail == f"{NO_CONNECTION} (ETIMEDOUT)"


def test_an_unavailable_erp_has_the_fixed_text_first() -> None:
    answer = upstream_service_error(ErpUnwell())
    assert answer.detail.startswith(f"{NO_CONNECTION} (ETIMEDOUT)")
    assert answer.headers["Retry-After"] == "5"


def test_every_lost_session_has_the_fixed_text() -> None:
    assert upstream_service_error(SessionEnded()).body("r")["message"] == "Debe iniciar sesión"


def test_the_text_of_the_erp_is_passed_on_without_the_statement() -> None:
    error = upstream_service_error(
        ErpRefused(400, 701, "Invalid SQL syntax:select a,\nb from c, line 2, character position 3, Bad")
    )
    assert error.body("r")["upstream"] == {
        "code": 701,
        "message": "Invalid SQL syntax: …, line 2, character position 3, Bad",
    }
    assert "upstream" not in upstream_service_error(ErpRefused(400, None, "")).body("r")


def test_an_unknown_error_class_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match="no answer is declared"):
        upstream_service_error(ErpError("new"))

"""Who executed, reprocessed and closed which planning, and how that ended, in the log.

The lines have the form of the gateway's audit lines (docs/audit.md), so that one search finds people in both
services. There is no place in them for what a planning holds.
"""

from enum import StrEnum
from http import HTTPStatus
from typing import Final

import structlog
from attrs import frozen

from erpclient import ErpError
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from supplier_returns.planning.rules.model import Planning
from supplier_returns.web.error_map import upstream_service_error
from supplier_returns.web.session import SessionExpired

_EVENT: Final = "AUDIT"
_RESOURCE: Final = "planificaciones"

_log = structlog.get_logger(__name__)


class ExecutionAction(StrEnum):
    """What somebody did with a planning."""

    EXECUTE = "returns_execute"
    REPROCESS = "returns_reprocess"
    CLOSE = "planning_close"


class ExecutionResult(StrEnum):
    """How it ended."""

    OK = "ok"
    DENIED = "denied"
    ERROR = "error"
    UNKNOWN = "unknown"


@frozen
class ExecutionLog:
    """Writes the line of one execution, reprocessing or closing.

    Attributes:
        user: ERP user code.
        ip: Of the person's browser.
        planning_id: Of the planning.
    """

    action: ExecutionAction
    user: str
    ip: str
    planning_id: int

    def ended(self, planning: Planning) -> None:
        """Tell that it came to its end; single documents may have failed, which the planning's state says."""
        self._write(ExecutionResult.OK, detail={"state": planning.state.value})

    def failed(self, error: Exception) -> None:
        """Tell why it did not; an error that nobody expected with its trace."""
        match error:
            case OutcomeUnknown():
                self._write(ExecutionResult.UNKNOWN, reason=error.code)
            case SessionExpired():
                self._write(ExecutionResult.ERROR, reason=error.code)
            case ServiceError():
                was_refused = error.status < HTTPStatus.INTERNAL_SERVER_ERROR
                result = ExecutionResult.DENIED if was_refused else ExecutionResult.ERROR
                self._write(result, reason=error.code)
            case ErpError():  # of a read: what a write meets is translated where it is made
                reason = upstream_service_error(error).code
                self._write(ExecutionResult.ERROR, reason=reason, cause=str(error))
            case _:
                self._write(ExecutionResult.ERROR, reason="internal_error", exc_info=error)

    def _write(self, result: ExecutionResult, **facts: object) -> None:
        _log.info(
            _EVENT,
            action=self.action.value,
            result=result.value,
            user=self.user,
            ip=self.ip,
            resource=_RESOURCE,
            key=str(self.planning_id),
            **facts,
        )

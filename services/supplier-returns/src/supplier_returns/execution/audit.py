"""The audit line of an execution, a reprocessing or a closing."""

from http import HTTPStatus
from typing import Final

from attrs import frozen

from erpclient import ErpError
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from supplier_returns.execution.sources import ExecutionSources
from supplier_returns.planning.model.planning import Planning
from supplier_returns.web.audit_log import Action, Result, audit
from supplier_returns.web.error_map import upstream_service_error
from supplier_returns.web.session_errors import SessionExpired

_RESOURCE: Final = "planificaciones"


@frozen
class ExecutionAudit:
    """Writes the audit line of one execution, reprocessing or closing.

    Attributes:
        user: ERP user code.
        ip: Of the person's browser.
        planning_id: Of the planning.
    """

    action: Action
    user: str
    ip: str
    planning_id: int

    @classmethod
    def of(cls, action: Action, erp: ExecutionSources, planning_id: int) -> "ExecutionAudit":
        """Return the audit of what the signed-in user does with a planning."""
        return cls(action, erp.planning.user, erp.ip, planning_id)

    def ended(self, planning: Planning) -> None:
        """Record the end. Single documents may have failed: the state of the planning tells."""
        self._write(Result.OK, detail={"state": planning.state.value})

    def failed(self, error: Exception) -> None:
        """Record why it failed; an unexpected error with its traceback."""
        match error:
            case OutcomeUnknown():
                self._write(Result.UNKNOWN, reason=error.code)
            case SessionExpired():
                self._write(Result.ERROR, reason=error.code)
            case ServiceError():
                was_refused = error.status < HTTPStatus.INTERNAL_SERVER_ERROR
                result = Result.DENIED if was_refused else Result.ERROR
                self._write(result, reason=error.code)
            case ErpError():  # of a read: what a write meets is translated where it is made
                reason = upstream_service_error(error).code
                self._write(Result.ERROR, reason=reason, cause=str(error))
            case _:
                self._write(Result.ERROR, reason="internal_error", exc_info=error)

    def _write(self, result: Result, **facts: object) -> None:
        key = str(self.planning_id)
        audit(self.action, result, user=self.user, ip=self.ip, resource=_RESOURCE, key=key, **facts)

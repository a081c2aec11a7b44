"""Audit line of an execution, a reprocessing or a closing."""

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
        ip: IP address of the user's browser.
    """

    action: Action
    user: str
    ip: str
    planning_id: int

    @classmethod
    def of(cls, action: Action, erp: ExecutionSources, planning_id: int) -> "ExecutionAudit":
        """Build the audit for an action of the signed-in user."""
        return cls(action, erp.planning.user, erp.ip, planning_id)

    def ended(self, planning: Planning) -> None:
        """Write the line of a completed action. The state in it shows whether documents failed."""
        self._write(Result.OK, detail={"state": planning.state.value})

    def failed(self, error: Exception) -> None:
        """Write the line of a failed action, with the traceback if the error is unexpected."""
        match error:
            # A post may have been executed, so the line must not report a failure.
            case OutcomeUnknown():
                self._write(Result.UNKNOWN, reason=error.code)
            # The ERP ended the session. That is an error and not a refusal, although its status is 401.
            case SessionExpired():
                self._write(Result.ERROR, reason=error.code)
            case ServiceError():
                was_refused = error.status < HTTPStatus.INTERNAL_SERVER_ERROR
                result = Result.DENIED if was_refused else Result.ERROR
                self._write(result, reason=error.code)
            case ErpError():  # from a read; the sources translate errors of writes
                reason = upstream_service_error(error).code
                self._write(Result.ERROR, reason=reason, cause=str(error))
            case _:
                self._write(Result.ERROR, reason="internal_error", exc_info=error)

    def _write(self, result: Result, **facts: object) -> None:
        key = str(self.planning_id)
        audit(self.action, result, user=self.user, ip=self.ip, resource=_RESOURCE, key=key, **facts)

"""How executions, reprocessings and closings ended, as the log of who did what tells it."""

from http import HTTPStatus
from typing import Final

from attrs import frozen

from erpclient import ErpError
from servicekit.erp.errors import OutcomeUnknown
from servicekit.errors import ServiceError
from supplier_returns.planning.rules.model import Planning
from supplier_returns.web.audit_log import Action, Result, audit
from supplier_returns.web.error_map import upstream_service_error
from supplier_returns.web.session import SessionExpired

_RESOURCE: Final = "planificaciones"


@frozen
class ExecutionLog:
    """Writes the line of one execution, reprocessing or closing.

    Attributes:
        user: ERP user code.
        ip: Of the person's browser.
        planning_id: Of the planning.
    """

    action: Action
    user: str
    ip: str
    planning_id: int

    def ended(self, planning: Planning) -> None:
        """Tell that it came to its end; single documents may have failed, which the planning's state says."""
        self._write(Result.OK, detail={"state": planning.state.value})

    def failed(self, error: Exception) -> None:
        """Tell why it did not; an error that nobody expected with its trace."""
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

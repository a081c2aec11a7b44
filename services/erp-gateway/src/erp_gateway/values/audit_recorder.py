"""The recorder of audit events, as the rooms that only record see it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Protocol

from attrs import evolve

from erp_gateway.values.audit_event import AuditEvent, AuditResult
from servicekit.errors import as_service_error


class Recorder(Protocol):
    """Records events; `audit.recorder.AuditRecorder` implements it and never raises."""

    def record(self, event: AuditEvent) -> Coroutine[Any, Any, object]:
        """Commit the event before returning."""
        ...


@asynccontextmanager
async def failure_recorded(recorder: Recorder, event: AuditEvent) -> AsyncIterator[None]:
    """Record the error that ended the block, or its cancellation."""
    try:
        yield
    except Exception as error:
        reason = as_service_error(error).code
        await recorder.record(evolve(event, result=AuditResult.ERROR, reason=reason))
        raise
    except asyncio.CancelledError:  # the job was cancelled, or the service stops
        await recorder.record(evolve(event, result=AuditResult.ERROR, reason="interrupted"))
        raise

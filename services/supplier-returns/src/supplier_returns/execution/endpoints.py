"""`POST /api/planificaciones/{id}/devoluciones`, `…/reprocesar`, `…/cerrar`."""

from collections.abc import Callable
from typing import Any, Final

import attrs
import msgspec
from attrs import define, field
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint, read_json
from servicekit.endpoint.event_stream import ACCEPT, EVENTS, QUIET_S, stream, wants_events
from servicekit.tasks import FollowedTask
from supplier_returns.execution.context import Progress
from supplier_returns.execution.errors import (
    BatchesRequired,
    BinsUnsupported,
    DocumentNotFound,
    DocumentNotPending,
    DocumentsUncertain,
    ExecutionInterrupted,
    FenceRequired,
    NotClosed,
    NothingToReturn,
    ReturnFieldsRequired,
)
from supplier_returns.execution.run_handle import RunHandle
from supplier_returns.execution.service import ExecutionService
from supplier_returns.execution.shapes import CloseBody, ExecuteBody, ReprocessBody
from supplier_returns.execution.sources import ExecutionSources
from supplier_returns.planning.errors import (
    MetadataMissing,
    PlanningBusy,
    PlanningClosed,
    PlanningInExecution,
    PlanningNotFound,
    PlanningTooLarge,
    PlanningUnreadable,
    StaleVersion,
    UnknownWarehouse,
)
from supplier_returns.planning.http import PLANNING_ID, json_bytes, read_number
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.response_shapes import DetailShape
from supplier_returns.planning.responses import detail_json
from supplier_returns.planning.small_work import run_small_work
from supplier_returns.web.access import Access
from supplier_returns.web.error_map import as_problem
from supplier_returns.web.guard import session_check_of

ANSWER_WITHIN_S: Final = 25.0
"""Seconds after which a running execution is answered with 202. It continues in the background."""

_NUMBERS_BYTES: Final = 128 * 1024
"""Size of a body that names the maximum number of documents, with the longest numbers."""
_REASON_BYTES: Final = 4 * 1024
"""Size of a body with the longest reason, if every character is escaped."""
_EVENTS: Final = (
    "With `Accept: text/event-stream` the response is a stream: events `progreso` "
    "(`hechos`, `total`, `documento`), then `resultado` (the planning) or `error` (a problem document). "
    "The work continues if the client disconnects or the session ends. If the session ends, the stream "
    "ends with `error` and `session_expired`."
)
_RUN_ERRORS: Final = (
    PlanningNotFound,
    PlanningClosed,
    PlanningInExecution,
    PlanningUnreadable,
    PlanningBusy,
    UnknownWarehouse,
    MetadataMissing,
    FenceRequired,
)

OpenSources = Callable[[Request], ExecutionSources]
"""Builds the signed-in user's access to the ERP for a request."""


@define(eq=False, repr=False)
class ExecutionEndpoints:
    """Routes of execution.

    Args:
        service: executes, reprocesses and closes plannings.
        open_sources: builds the user's access to the ERP for a request.
        answer_within_s: seconds after which a running execution is answered with 202.
    """

    _service: ExecutionService
    _open_sources: OpenSources
    _answer_within_s: float = field(default=ANSWER_WITHIN_S, kw_only=True)

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints of this feature."""
        detail = Answer("The planning.", Body(DetailShape))
        detail_or_events = attrs.evolve(detail, others=(EVENTS,))
        still_running = Answer(
            "The execution is still running. The body is the planning so far.", Body(DetailShape)
        )
        return [
            Endpoint(
                "POST",
                "/api/planificaciones/{id}/devoluciones",
                self.execute,
                access=Access.SESSION,
                summary="Create the return documents",
                description=(
                    "Creates one return in the ERP for each pending document, exactly once. The status is "
                    "200 even if some documents failed: see the state of each document. " + _EVENTS
                ),
                path_params=PLANNING_ID,
                headers=(ACCEPT,),
                request=Body(ExecuteBody),
                responses={200: detail_or_events, 202: still_running},
                errors=(
                    *_RUN_ERRORS,
                    StaleVersion,
                    ExecutionInterrupted,
                    NothingToReturn,
                    DocumentNotFound,
                    DocumentNotPending,
                    ReturnFieldsRequired,
                    BatchesRequired,
                    BinsUnsupported,
                ),
                max_body_bytes=_NUMBERS_BYTES,
            ),
            Endpoint(
                "POST",
                "/api/planificaciones/{id}/reprocesar",
                self.reprocess,
                access=Access.SESSION,
                summary="Look up the results of an execution and process the rest",
                description=(
                    "Looks up documents whose result is unknown. Posts documents that failed for a temporary "
                    "cause again under the same keys. Plans the goods of the other failed documents again "
                    "and creates those documents. Created documents never change. `replanificar` plans all "
                    "failed documents again. " + _EVENTS
                ),
                path_params=PLANNING_ID,
                headers=(ACCEPT,),
                request=Body(ReprocessBody, required=False),
                responses={200: detail_or_events, 202: still_running},
                errors=(*_RUN_ERRORS, PlanningTooLarge, DocumentNotFound),
                max_body_bytes=_NUMBERS_BYTES,
            ),
            Endpoint(
                "POST",
                "/api/planificaciones/{id}/cerrar",
                self.close,
                access=Access.SESSION,
                summary="Close a planning",
                description="Drops the documents without a return. A closed planning does not change.",
                path_params=PLANNING_ID,
                request=Body(CloseBody, required=False),
                responses={200: detail},
                errors=(
                    PlanningNotFound,
                    PlanningInExecution,
                    DocumentsUncertain,
                    NotClosed,
                    PlanningUnreadable,
                    MetadataMissing,
                ),
                max_body_bytes=_REASON_BYTES,
            ),
        ]

    async def execute(self, request: Request) -> Response:
        """Answer POST …/devoluciones."""
        planning_id = read_number(request, "id", PlanningNotFound)
        body = await read_json(request, ExecuteBody)
        run = self._service.execute(self._open_sources(request), planning_id, body.version, body.documentos)
        return await self._answer(request, run, planning_id)

    async def reprocess(self, request: Request) -> Response:
        """Answer POST …/reprocesar."""
        planning_id = read_number(request, "id", PlanningNotFound)
        body = await read_json(request, ReprocessBody, optional=True)
        run = self._service.reprocess(
            self._open_sources(request), planning_id, body.documentos, replan=body.replanificar
        )
        return await self._answer(request, run, planning_id)

    async def close(self, request: Request) -> Response:
        """Answer POST …/cerrar."""
        planning_id = read_number(request, "id", PlanningNotFound)
        body = await read_json(request, CloseBody, optional=True)
        planning = await self._service.close(self._open_sources(request), planning_id, body.motivo)
        return json_bytes(await run_small_work(detail_json, planning))

    async def _answer(self, request: Request, run: RunHandle, planning_id: int) -> Response:
        if wants_events(request):
            return stream(
                request,
                _as_json_task(run),
                progress_json=_progress_json,
                result_json=bytes,
                as_problem=as_problem,
                check=session_check_of(request),
            )
        # Proxies and browsers close a request that takes too long, so a long run gets an early response.
        if await run.task.ended_within(self._answer_within_s):
            return json_bytes(await run_small_work(detail_json, await run.task.result()))
        so_far = run.current_planning
        if so_far is None:
            # The run has not read the planning yet, because another run has its lock.
            so_far = await self._open_sources(request).planning.repository.get(planning_id)
        return json_bytes(await run_small_work(_running_json, so_far), status=202)


def _as_json_task(run: RunHandle) -> FollowedTask[Progress, bytes]:
    async def as_json(report: Callable[[Progress], None]) -> bytes:
        # Encoding a large planning takes tenths of a second, so `run_small_work` does it outside the event
        # loop.
        async for progress in run.task.progress(quiet_s=QUIET_S):
            if progress is not None:
                report(progress)
        return await run_small_work(detail_json, await run.task.result())

    return FollowedTask(as_json)


def _running_json(planning: Planning) -> bytes:
    return detail_json(planning, is_running=True)


def _progress_json(progress: Progress) -> bytes:
    document = progress.document
    shown: dict[str, Any] | None = None
    if document is not None:
        shown = {
            "docId": document.doc_id,
            "estado": document.state.value,
            "docNum": document.doc_num,
            "mensaje": document.message,
        }
    return msgspec.json.encode({"hechos": progress.done, "total": progress.total, "documento": shown})

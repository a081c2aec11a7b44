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
"""After so long an execution is answered 202 and goes on."""

_NUMBERS_BYTES: Final = 128 * 1024
"""As many documents as may be named, with the longest numbers."""
_REASON_BYTES: Final = 4 * 1024
"""One reason at its longest, with every character escaped."""
_EVENTS: Final = (
    "With `Accept: text/event-stream` the answer is a stream: events `progreso` "
    "(`hechos`, `total`, `documento`), then `resultado` (the planning) or `error` (a problem document). "
    "The work goes on when the client leaves, and when the session ends; the stream then ends with "
    "`error` and `session_expired`."
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
    """The routes of execution.

    Args:
        service: Does the work.
        open_sources: Builds the user's access for a request.
        answer_within_s: After how long an execution that goes on is answered.
    """

    _service: ExecutionService
    _open_sources: OpenSources
    _answer_within_s: float = field(default=ANSWER_WITHIN_S, kw_only=True)

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints of this feature."""
        detail = Answer("The planning.", Body(DetailShape))
        answer = attrs.evolve(detail, others=(EVENTS,))
        going_on = Answer("It goes on; the planning so far.", Body(DetailShape))
        return [
            Endpoint(
                "POST",
                "/api/planificaciones/{id}/devoluciones",
                self.execute,
                access=Access.SESSION,
                summary="Make the return documents",
                description=(
                    "Makes one return in the ERP for each document that waits, exactly once. Answers 200 "
                    "also where some failed: each document says what became of it. " + _EVENTS
                ),
                path_params=PLANNING_ID,
                headers=(ACCEPT,),
                request=Body(ExecuteBody),
                responses={200: answer, 202: going_on},
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
                summary="Find out what became of an execution, and do what is left",
                description=(
                    "Looks in the ERP for what is not known to exist, posts again under the same keys what "
                    "failed for a passing cause, and plans and makes the rest anew. Never touches what is "
                    "made. `replanificar` makes everything that failed anew. " + _EVENTS
                ),
                path_params=PLANNING_ID,
                headers=(ACCEPT,),
                request=Body(ReprocessBody, required=False),
                responses={200: answer, 202: going_on},
                errors=(*_RUN_ERRORS, PlanningTooLarge, DocumentNotFound),
                max_body_bytes=_NUMBERS_BYTES,
            ),
            Endpoint(
                "POST",
                "/api/planificaciones/{id}/cerrar",
                self.close,
                access=Access.SESSION,
                summary="Close a planning",
                description="Drops what was not made. Closing a closed planning changes nothing.",
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
                _shown(run),
                progress_json=_progress_json,
                result_json=bytes,
                as_problem=as_problem,
                check=session_check_of(request),
            )
        if await run.task.ended_within(self._answer_within_s):
            return json_bytes(await run_small_work(detail_json, await run.task.result()))
        so_far = run.current_planning
        if so_far is None:
            so_far = await self._open_sources(request).planning.repository.get(planning_id)
        return json_bytes(await run_small_work(_running_json, so_far), status=202)


def _shown(run: RunHandle) -> FollowedTask[Progress, bytes]:
    """Return what tells of a run and ends with its planning in JSON, written beside the event loop."""

    async def show(tell: Callable[[Progress], None]) -> bytes:
        async for progress in run.task.progress(quiet_s=QUIET_S):
            if progress is not None:
                tell(progress)
        return await run_small_work(detail_json, await run.task.result())

    return FollowedTask(show)


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

"""`/api/planificaciones/{id}`: changes of a stored planning, and the batches and serial numbers to pick."""

from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint, PathParam, json_response
from supplier_returns.planning.api import examples
from supplier_returns.planning.api.answers import OpenService, answer_detail
from supplier_returns.planning.api.bodies import (
    AddBody,
    DetailShape,
    HeaderChanges,
    LineChanges,
    LineLotsShape,
    ReplanBody,
)
from supplier_returns.planning.api.requests import (
    read_added_lines,
    read_header_change,
    read_line_change,
    read_number,
    read_replan,
)
from supplier_returns.planning.api.showing import line_lots_of
from supplier_returns.planning.errors import (
    HeldByDocument,
    LineNotFound,
    MetadataMissing,
    PicksMismatch,
    PlanningBusy,
    PlanningClosed,
    PlanningInExecution,
    PlanningNotFound,
    PlanningTooLarge,
    PlanningUnreadable,
    StaleVersion,
    UnknownWarehouse,
)
from supplier_returns.web.access import Access

_TAG: Final = "Planning"
_ID: Final = {"id": PathParam("The planning.", example=12, schema={"type": "integer", "minimum": 1})}
_LINE_ID: Final = {
    **_ID,
    "lineId": PathParam("The line.", example=1, schema={"type": "integer", "minimum": 1}),
}
_CHANGE_ERRORS: Final = (
    PlanningNotFound,
    StaleVersion,
    PlanningClosed,
    PlanningInExecution,
    HeldByDocument,
    UnknownWarehouse,
    PlanningTooLarge,
    PlanningUnreadable,
    PlanningBusy,
    MetadataMissing,
)

MAX_HEADER_BYTES: Final = 16 * 1024
"""Every field of a header at its longest."""

MAX_LINE_BYTES: Final = 256 * 1024
"""As many picks as a line may have, of batches at their longest."""

MAX_VERSION_BYTES: Final = 1024
"""A version, with room for spaces."""


class PlanningChangeEndpoints:
    """The routes that change a planning.

    Args:
        open_service: Builds the service for a request.
        is_running: Tells whether an execution of a planning runs.
    """

    def __init__(self, open_service: OpenService, is_running: Callable[[int], bool]) -> None:
        self._open = open_service
        self._is_running = is_running

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints of this feature."""
        detail = Answer("The planning.", Body(DetailShape, example=examples.DETAIL))
        return [
            Endpoint(
                "PATCH",
                "/api/planificaciones/{id}/cabecera",
                self.change_header,
                access=Access.SESSION,
                summary="Change the header",
                description="Another warehouse plans every line again.",
                tag=_TAG,
                path_params=_ID,
                request=Body(HeaderChanges, example={"version": 1, "comentario": "Retira el proveedor"}),
                responses={200: detail},
                errors=_CHANGE_ERRORS,
                max_body_bytes=MAX_HEADER_BYTES,
            ),
            Endpoint(
                "PATCH",
                "/api/planificaciones/{id}/lineas/{lineId}",
                self.change_line,
                access=Access.SESSION,
                summary="Change a line and plan its item again",
                description=(
                    "`cardCode` limits the line to one supplier, null lifts the limit. `lotes` or `series` "
                    "pick batches or serial numbers; they must add up to what the line gives back."
                ),
                tag=_TAG,
                path_params=_LINE_ID,
                request=Body(LineChanges, example={"version": 1, "cantidad": 4}),
                responses={200: detail},
                errors=(LineNotFound, PicksMismatch, *_CHANGE_ERRORS),
                max_body_bytes=MAX_LINE_BYTES,
            ),
            Endpoint(
                "GET",
                "/api/planificaciones/{id}/lineas/{lineId}/lotes",
                self.lots,
                access=Access.SESSION,
                summary="Which batches or serial numbers a line may pick",
                description=(
                    "What lies in the planning's warehouse of the line's item; what expires first comes "
                    "first. `disponible` is what no other line of the planning has picked."
                ),
                tag=_TAG,
                path_params=_LINE_ID,
                responses={200: Answer("The lots.", Body(LineLotsShape, example=examples.LOTS))},
                errors=(LineNotFound, PlanningNotFound, PlanningUnreadable, PlanningBusy, MetadataMissing),
            ),
            Endpoint(
                "POST",
                "/api/planificaciones/{id}/lineas",
                self.add_lines,
                access=Access.SESSION,
                summary="Add lines and plan their items again",
                description=(
                    "What is asked of an item for a reason that a line is there for already is added to that "
                    "line, unless it is excluded, limited to a supplier or held by a document: then it "
                    "becomes a line of its own. 409 `held_by_document` where the planning is executed."
                ),
                tag=_TAG,
                path_params=_ID,
                request=Body(AddBody, example=examples.ADDED),
                responses={200: detail},
                errors=_CHANGE_ERRORS,
            ),
            Endpoint(
                "POST",
                "/api/planificaciones/{id}/replanificar",
                self.replan,
                access=Access.SESSION,
                summary="Plan again with today's stock and receipts",
                description=(
                    "Lines of which a document holds anything stay as they are; documents that failed for "
                    "sure are given up. Batches and serial numbers that were picked stay as far as they "
                    "still lie in the warehouse and the line still gives back so much. 409 "
                    "`held_by_document` where every line is held, or the planning is executed."
                ),
                tag=_TAG,
                path_params=_ID,
                request=Body(ReplanBody, example={"version": 1}),
                responses={200: detail},
                errors=_CHANGE_ERRORS,
                max_body_bytes=MAX_VERSION_BYTES,
            ),
        ]

    async def change_header(self, request: Request) -> Response:
        """Answer PATCH /planificaciones/{id}/cabecera."""
        planning_id = read_number(request, "id", PlanningNotFound)
        asked = await read_header_change(request)
        planning = await self._open(request).change.header(planning_id, asked.version, asked.changes)
        return await answer_detail(planning, self._is_running)

    async def change_line(self, request: Request) -> Response:
        """Answer PATCH /planificaciones/{id}/lineas/{lineId}."""
        planning_id = read_number(request, "id", PlanningNotFound)
        line_id = read_number(request, "lineId", LineNotFound)
        asked = await read_line_change(request)
        planning = await self._open(request).change.line(
            planning_id, line_id, asked.version, asked.changes, asked.picks
        )
        return await answer_detail(planning, self._is_running)

    async def lots(self, request: Request) -> Response:
        """Answer GET /planificaciones/{id}/lineas/{lineId}/lotes."""
        planning_id = read_number(request, "id", PlanningNotFound)
        line_id = read_number(request, "lineId", LineNotFound)
        return json_response(line_lots_of(await self._open(request).lots.of_line(planning_id, line_id)))

    async def add_lines(self, request: Request) -> Response:
        """Answer POST /planificaciones/{id}/lineas."""
        planning_id = read_number(request, "id", PlanningNotFound)
        asked = await read_added_lines(request)
        planning = await self._open(request).change.add(planning_id, asked.version, asked.lines)
        return await answer_detail(planning, self._is_running)

    async def replan(self, request: Request) -> Response:
        """Answer POST /planificaciones/{id}/replanificar."""
        planning_id = read_number(request, "id", PlanningNotFound)
        planning = await self._open(request).change.replan(planning_id, await read_replan(request))
        return await answer_detail(planning, self._is_running)

"""`/api/planificaciones/{id}/…`: changes of a planning."""

from collections.abc import Callable
from typing import Final

from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    PathParam,
    json_response,
)
from supplier_returns.planning.endpoints import OpenService
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
from supplier_returns.planning.http import PLANNING_ID, answer_detail, read_number
from supplier_returns.planning.request_shapes import (
    AddBody,
    HeaderChanges,
    LineChanges,
    ReplanBody,
)
from supplier_returns.planning.requests import (
    read_added_lines,
    read_header_change,
    read_line_change,
    read_replan,
)
from supplier_returns.planning.response_shapes import (
    DetailShape,
    LineLotsShape,
)
from supplier_returns.planning.responses import (
    line_lots_of,
)
from supplier_returns.web.access import Access

_LINE_ID: Final = {
    **PLANNING_ID,
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

MAX_HEADER_BYTES: Final = 96 * 1024
"""Size of a header with the longest values in every field, including the fields of the installation."""

MAX_LINE_BYTES: Final = 256 * 1024
"""Size of a line with the maximum number of picks, and the longest batch numbers."""

MAX_VERSION_BYTES: Final = 1024
"""Size of a version, with some room for spaces."""


@define(eq=False, repr=False)
class ChangeEndpoints:
    """Routes that change a planning.

    Args:
        open_service: builds the service for a request.
        is_running: returns whether an execution of a planning runs.
    """

    _open_service: OpenService
    _is_running: Callable[[int], bool]

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints."""
        detail = Answer("The planning.", Body(DetailShape))
        return [
            Endpoint(
                "PATCH",
                "/api/planificaciones/{id}/cabecera",
                self.change_header,
                access=Access.SESSION,
                summary="Change the header",
                description="Another warehouse plans every line again.",
                path_params=PLANNING_ID,
                request=Body(HeaderChanges),
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
                    "pick batches or serial numbers. They must add up to the line's allocated quantity."
                ),
                path_params=_LINE_ID,
                request=Body(LineChanges),
                responses={200: detail},
                errors=(LineNotFound, PicksMismatch, *_CHANGE_ERRORS),
                max_body_bytes=MAX_LINE_BYTES,
            ),
            Endpoint(
                "GET",
                "/api/planificaciones/{id}/lineas/{lineId}/lotes",
                self.lots,
                access=Access.SESSION,
                summary="List the batches or serial numbers that a line may pick",
                description=(
                    "The lots of the line's item in the planning's warehouse, ordered by expiry date. "
                    "`disponible` is the quantity that no other line of the planning has picked."
                ),
                path_params=_LINE_ID,
                responses={200: Answer("The lots.", Body(LineLotsShape))},
                errors=(LineNotFound, PlanningNotFound, PlanningUnreadable, PlanningBusy, MetadataMissing),
            ),
            Endpoint(
                "POST",
                "/api/planificaciones/{id}/lineas",
                self.add_lines,
                access=Access.SESSION,
                summary="Add lines and plan their items again",
                description=(
                    "If a line has the same item and reason, the quantity is added to it. If that line is "
                    "excluded, limited to a supplier or part of a sent document, you get a new line. 409 "
                    "`held_by_document` if the planning is executed."
                ),
                path_params=PLANNING_ID,
                request=Body(AddBody),
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
                    "Lines of documents that exist or may exist don't change. Documents that failed are "
                    "given up. Picked batches and serial numbers stay if the warehouse still has them and "
                    "the line still needs them. 409 `held_by_document` if no line can change, or the "
                    "planning is executed."
                ),
                path_params=PLANNING_ID,
                request=Body(ReplanBody),
                responses={200: detail},
                errors=_CHANGE_ERRORS,
                max_body_bytes=MAX_VERSION_BYTES,
            ),
        ]

    async def change_header(self, request: Request) -> Response:
        """Answer PATCH /planificaciones/{id}/cabecera."""
        planning_id = read_number(request, "id", PlanningNotFound)
        planning = await self._open_service(request).change_header(
            planning_id, *await read_header_change(request)
        )
        return await answer_detail(planning, self._is_running)

    async def change_line(self, request: Request) -> Response:
        """Answer PATCH /planificaciones/{id}/lineas/{lineId}."""
        planning_id = read_number(request, "id", PlanningNotFound)
        line_id = read_number(request, "lineId", LineNotFound)
        requested = await read_line_change(request)
        planning = await self._open_service(request).change_line(planning_id, line_id, *requested)
        return await answer_detail(planning, self._is_running)

    async def lots(self, request: Request) -> Response:
        """Answer GET /planificaciones/{id}/lineas/{lineId}/lotes."""
        planning_id = read_number(request, "id", PlanningNotFound)
        line_id = read_number(request, "lineId", LineNotFound)
        return json_response(
            line_lots_of(await self._open_service(request).lots_of_line(planning_id, line_id))
        )

    async def add_lines(self, request: Request) -> Response:
        """Answer POST /planificaciones/{id}/lineas."""
        planning_id = read_number(request, "id", PlanningNotFound)
        planning = await self._open_service(request).add_lines(planning_id, *await read_added_lines(request))
        return await answer_detail(planning, self._is_running)

    async def replan(self, request: Request) -> Response:
        """Answer POST /planificaciones/{id}/replanificar."""
        planning_id = read_number(request, "id", PlanningNotFound)
        planning = await self._open_service(request).replan(planning_id, await read_replan(request))
        return await answer_detail(planning, self._is_running)

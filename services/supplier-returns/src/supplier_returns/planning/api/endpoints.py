"""`/api/planificaciones`: from a paste to a plan that can be adjusted."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Final

import attrs
from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    PathParam,
    QueryParam,
    json_response,
    read_body,
    while_connected,
)
from servicekit.request_log import request_facts
from supplier_returns.pasting.reading import MAX_PASTE_BYTES, PasteBody
from supplier_returns.planning.api.bodies import (
    AddBody,
    CreateBody,
    DetailShape,
    HeaderChanges,
    LineChanges,
    LineLotsShape,
    ListShape,
    OpenShape,
    PreviewShape,
    ReplanBody,
)
from supplier_returns.planning.api.requests import (
    DEFAULT_PAGE_SIZE,
    MAX_PAGE,
    MAX_PAGE_SIZE,
    read_added_lines,
    read_header_change,
    read_line_change,
    read_list_request,
    read_new_planning,
    read_number,
    read_replan,
    read_warehouse,
)
from supplier_returns.planning.api.showing import (
    SHORTAGE_COLUMNS,
    detail_json,
    line_lots_of,
    list_row_of,
    open_json,
    preview_json,
    shortages_csv,
)
from supplier_returns.planning.computing import Computing, beside_the_loop
from supplier_returns.planning.errors import (
    ColumnsUnknown,
    HeldByDocument,
    LineNotFound,
    MetadataMissing,
    OpenPlanningExists,
    PasteTooLarge,
    PicksMismatch,
    PlanningBusy,
    PlanningClosed,
    PlanningInExecution,
    PlanningNotFound,
    PlanningTooLarge,
    PlanningUnreadable,
    StaleVersion,
    UnknownWarehouse,
    UnreadablePaste,
)
from supplier_returns.planning.rules.model import Planning
from supplier_returns.planning.service import SMALL_PASTE_BYTES, PlanningService
from supplier_returns.planning.sources import PlanningRules
from supplier_returns.web.access import Access, caller_of

OpenService = Callable[[Request], PlanningService]
"""Builds the service for the signed-in user of a request."""


async def answer_detail(
    planning: Planning, is_running: Callable[[int], bool], *, status: int = 200
) -> Response:
    """Answer with a planning and everything in it."""
    shown = partial(detail_json, is_running=is_running(planning.id))
    return json_bytes(await beside_the_loop(shown, planning), status=status)


def json_bytes(body: bytes, *, status: int = 200) -> Response:
    """Answer with JSON that is written already."""
    return Response(body, status_code=status, media_type="application/json")


PLANNING_ID: Final = {"id": PathParam("The planning.", example=12, schema={"type": "integer", "minimum": 1})}
_SHORTAGES: Final = (
    ";".join(SHORTAGE_COLUMNS)
    + "\r\n0012;Aceite 1 l;UN;10;7;1;2;0;9;VENC;Se devuelven 7 de 10. Falta 1 en la bodega (hay 9).\r\n"
)
"""The example of the sheet: a text has no shape to generate it from."""
_WHS_CODE: Final = QueryParam("whsCode", "Only plannings of this warehouse.", example="01")


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
"""Every field of a header at its longest, with those that the installation asks for."""

MAX_LINE_BYTES: Final = 256 * 1024
"""As many picks as a line may have, of batches at their longest."""

MAX_VERSION_BYTES: Final = 1024
"""A version, with room for spaces."""


@define(eq=False, repr=False)
class PlanningEndpoints:
    """The routes of planning, and those that change a planning.

    Args:
        open_service: Builds the service for a request.
        computing: Where previews are written.
        rules: Of the installation.
        is_running: Tells whether an execution of a planning runs.
    """

    _open_service: OpenService
    _computing: Computing
    _rules: PlanningRules
    _is_running: Callable[[int], bool]

    def endpoints(self) -> list[Endpoint]:
        """Declare what makes and shows plannings."""
        detail = Answer("The planning.", Body(DetailShape))
        return [
            Endpoint(
                "POST",
                "/api/planificaciones/pegar",
                self.preview,
                access=Access.SESSION,
                summary="Preview what a pasted table would become",
                description=(
                    "Stores nothing. Rows that can't be read are listed in `errores` and left out; a number "
                    "that could mean two things is read as Chile writes it and listed in `avisos`. Columns "
                    "are recognized by their header, or without one if only one column has numbers. "
                    "Otherwise the answer is 422 `columns_unknown` with the first five rows (`filas`) and "
                    "the meanings that each column may have, the most likely first (`columnas`). To answer, "
                    "send the text again with `columnas`; rows before the first quantity are then "
                    "skipped with a warning."
                ),
                request=Body(PasteBody),
                responses={200: Answer("The preview.", Body(PreviewShape))},
                errors=(
                    ColumnsUnknown,
                    UnreadablePaste,
                    PasteTooLarge,
                    UnknownWarehouse,
                    PlanningTooLarge,
                    PlanningBusy,
                ),
                max_body_bytes=MAX_PASTE_BYTES,
            ),
            Endpoint(
                "POST",
                "/api/planificaciones",
                self.create,
                access=Access.SESSION,
                summary="Plan returns and store the plan",
                description="Plans again with today's stock and receipts, whatever a preview said.",
                request=Body(CreateBody),
                responses={
                    201: attrs.evolve(detail, headers={"Location": "Where the planning is."}),
                },
                errors=(
                    OpenPlanningExists,
                    UnknownWarehouse,
                    PlanningTooLarge,
                    PlanningUnreadable,
                    PlanningBusy,
                    MetadataMissing,
                ),
            ),
            Endpoint(
                "GET",
                "/api/planificaciones",
                self.list_plannings,
                access=Access.SESSION,
                summary="List plannings, newest first",
                description="A record that another program spoiled has the `estado` `ilegible`.",
                query=(
                    QueryParam(
                        "status",
                        "`O` open, `C` closed, empty for both.",
                        example="O",
                        schema={"type": "string", "enum": ["O", "C", ""]},
                    ),
                    _WHS_CODE,
                    QueryParam(
                        "desde",
                        "First day of creation, in the company's time zone (`2026-03-01`), or a time of that "
                        "day (`2026-03-01T12:00:00Z`; without an offset a time of that zone).",
                        example="2026-03-01",
                    ),
                    QueryParam(
                        "pagina",
                        "Page, from 1.",
                        example=1,
                        schema={"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": 1},
                    ),
                    QueryParam(
                        "tamano",
                        "Plannings on a page.",
                        example=20,
                        schema={
                            "type": "integer",
                            "minimum": 1,
                            "maximum": MAX_PAGE_SIZE,
                            "default": DEFAULT_PAGE_SIZE,
                        },
                    ),
                ),
                responses={200: Answer("One page.", Body(ListShape))},
                errors=(MetadataMissing,),
            ),
            Endpoint(
                "GET",
                "/api/planificaciones/abierta",
                self.find_open,
                access=Access.SESSION,
                summary="The user's newest open planning",
                query=(_WHS_CODE,),
                responses={200: Answer("The planning, or null.", Body(OpenShape))},
                errors=(MetadataMissing,),
            ),
            Endpoint(
                "GET",
                "/api/planificaciones/{id}",
                self.get,
                access=Access.SESSION,
                summary="One planning with its lines and documents",
                path_params=PLANNING_ID,
                responses={200: detail},
                errors=(PlanningNotFound, PlanningUnreadable, MetadataMissing),
            ),
            Endpoint(
                "GET",
                "/api/planificaciones/{id}/faltantes",
                self.shortages,
                access=Access.SESSION,
                summary="What can't go back, as a sheet",
                description=(
                    "The lines that are not excluded and of which something can't go back, and why, as CSV "
                    "for a spreadsheet: UTF-8, cells parted by `;`, decimal commas, and no text that a "
                    "spreadsheet would take for a formula."
                ),
                path_params=PLANNING_ID,
                responses={
                    200: Answer(
                        "The sheet.",
                        Body({"type": "string"}, _SHORTAGES, media_type="text/csv"),
                        headers={"Content-Disposition": "Names the file after the planning."},
                    )
                },
                errors=(PlanningNotFound, PlanningUnreadable, MetadataMissing),
            ),
        ]

    async def preview(self, request: Request) -> Response:
        """Answer POST /planificaciones/pegar."""
        computing = self._computing.of(caller_of(request).user)
        size = _announced_bytes(request)
        async with nullcontext() if size <= SMALL_PASTE_BYTES else computing.room_for_body(size):
            body = await read_body(request)
            preview = await while_connected(request, self._open_service(request).preview(body))
            answer = await computing.on_thread(preview_json, preview)
        return json_bytes(answer)

    async def create(self, request: Request) -> Response:
        """Answer POST /planificaciones."""
        planning = await self._open_service(request).create(await read_new_planning(request, self._rules))
        response = await answer_detail(planning, self._is_running, status=201)
        response.headers["Location"] = (
            f"{request_facts(request.scope).prefix}/api/planificaciones/{planning.id}"
        )
        return response

    async def list_plannings(self, request: Request) -> Response:
        """Answer GET /planificaciones."""
        where, page, size = read_list_request(request, self._rules.timezone)
        found = await self._open_service(request).find(where, page=page, size=size)
        return json_response(
            ListShape(
                datos=tuple(list_row_of(row, is_running=self._is_running(row.id)) for row in found.rows),
                pagina=page,
                tamano=size,
                total=found.total,
                paginas=-(-found.total // size),
            )
        )

    async def find_open(self, request: Request) -> Response:
        """Answer GET /planificaciones/abierta."""
        planning = await self._open_service(request).find_open(read_warehouse(request))
        is_running = planning is not None and self._is_running(planning.id)
        return json_bytes(await beside_the_loop(partial(open_json, is_running=is_running), planning))

    async def get(self, request: Request) -> Response:
        """Answer GET /planificaciones/{id}."""
        planning = await self._open_service(request).get(read_number(request, "id", PlanningNotFound))
        return await answer_detail(planning, self._is_running)

    async def shortages(self, request: Request) -> Response:
        """Answer GET /planificaciones/{id}/faltantes."""
        planning_id = read_number(request, "id", PlanningNotFound)
        planning = await self._open_service(request).get(planning_id)
        return Response(
            await beside_the_loop(shortages_csv, planning),
            media_type="text/csv; charset=utf-8; header=present",
            headers={"Content-Disposition": f'attachment; filename="faltantes-{planning_id}.csv"'},
        )

    def change_endpoints(self) -> list[Endpoint]:
        """Declare what changes a planning."""
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
                    "pick batches or serial numbers; they must add up to what the line gives back."
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
                summary="Which batches or serial numbers a line may pick",
                description=(
                    "What lies in the planning's warehouse of the line's item; what expires first comes "
                    "first. `disponible` is what no other line of the planning has picked."
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
                    "What is asked of an item for a reason that a line is there for already is added to that "
                    "line, unless it is excluded, limited to a supplier or held by a document: then it "
                    "becomes a line of its own. 409 `held_by_document` where the planning is executed."
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
                    "Lines of which a document holds anything stay as they are; documents that failed for "
                    "sure are given up. Batches and serial numbers that were picked stay as far as they "
                    "still lie in the warehouse and the line still gives back so much. 409 "
                    "`held_by_document` where every line is held, or the planning is executed."
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
        asked = await read_line_change(request)
        planning = await self._open_service(request).change_line(planning_id, line_id, *asked)
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


def _announced_bytes(request: Request) -> int:
    """Return how long a body says that it is; one that comes in pieces may be as long as any."""
    length = request.headers.get("content-length", "")
    return min(int(length), MAX_PASTE_BYTES) if length.isdecimal() else MAX_PASTE_BYTES

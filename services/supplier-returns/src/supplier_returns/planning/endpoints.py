"""Routes of `/api/planificaciones` that create and show plannings."""

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
    QueryParam,
    json_response,
    read_body,
    while_connected,
)
from servicekit.request_log import request_facts
from supplier_returns.pasting.reading import MAX_PASTE_BYTES
from supplier_returns.pasting.shapes import PasteBody
from supplier_returns.planning.computing import Computing
from supplier_returns.planning.errors import (
    ColumnsUnknown,
    MetadataMissing,
    OpenPlanningExists,
    PasteTooLarge,
    PlanningBusy,
    PlanningNotFound,
    PlanningTooLarge,
    PlanningUnreadable,
    UnknownWarehouse,
    UnreadablePaste,
)
from supplier_returns.planning.http import PLANNING_ID, answer_detail, json_bytes, read_number
from supplier_returns.planning.model.states import RECORDED_STATES
from supplier_returns.planning.request_shapes import (
    CreateBody,
)
from supplier_returns.planning.requests import (
    DEFAULT_PAGE_SIZE,
    MAX_PAGE,
    MAX_PAGE_SIZE,
    read_list_request,
    read_new_planning,
    read_warehouse,
)
from supplier_returns.planning.response_shapes import (
    DetailShape,
    ListShape,
    OpenShape,
    PreviewShape,
)
from supplier_returns.planning.responses import (
    SHORTAGE_COLUMNS,
    list_row_of,
    open_json,
    preview_json,
    shortages_csv,
)
from supplier_returns.planning.service import SMALL_PASTE_BYTES, PlanningService
from supplier_returns.planning.settings import PlanningRules
from supplier_returns.planning.small_work import run_small_work
from supplier_returns.web.access import Access
from supplier_returns.web.guard import caller_of

OpenService = Callable[[Request], PlanningService]
"""Builds the service for the signed-in user of a request."""
_SHORTAGES: Final = (
    ";".join(SHORTAGE_COLUMNS)
    + "\r\n0012;Aceite 1 l;UN;10;7;1;2;0;9;VENC;Se devuelven 7 de 10. Falta 1 en la bodega (hay 9).\r\n"
)
"""Example of the CSV file, since a text has no shape to generate one from."""
_RECORDED_STATE: Final = {"type": "string", "enum": [*(each.value for each in RECORDED_STATES), ""]}
_WHS_CODE: Final = QueryParam("whsCode", "Only plannings of this warehouse.", example="01")


@define(eq=False, repr=False)
class PlanningEndpoints:
    """Routes that create and show plannings.

    Args:
        open_service: builds the service for a request.
        computing: encodes previews.
        rules: settings of the installation.
        is_running: returns whether an execution of a planning runs.
    """

    _open_service: OpenService
    _computing: Computing
    _rules: PlanningRules
    _is_running: Callable[[int], bool]

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints."""
        detail = Answer("The planning.", Body(DetailShape))
        return [
            Endpoint(
                "POST",
                "/api/planificaciones/pegar",
                self.preview,
                access=Access.SESSION,
                summary="Preview the planning of a pasted table",
                description=(
                    "Stores nothing. Rows that can't be read are listed in `errores` and left out. An "
                    "ambiguous number is read in the Chilean format and listed in `avisos`. Columns "
                    "are recognized by their header, or without one if only one column has numbers. "
                    "Otherwise you get 422 `columns_unknown` with the first five rows (`filas`) and "
                    "the possible meanings of each column, the most likely first (`columnas`). Then "
                    "send the text again with `columnas`. Rows before the first quantity are then "
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
                description="Plans again with today's stock and receipts, independently of any preview.",
                request=Body(CreateBody),
                responses={
                    201: attrs.evolve(detail, headers={"Location": "URL of the planning."}),
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
                description="A record that another program damaged has the `estado` `ilegible`.",
                query=(
                    QueryParam(
                        "status",
                        "`O` open, `C` closed, empty for both.",
                        example="O",
                        schema={"type": "string", "enum": ["O", "C", ""]},
                    ),
                    QueryParam(
                        "estado",
                        "Only plannings in this state, empty for all.",
                        example="ejecutada",
                        schema=_RECORDED_STATE,
                    ),
                    QueryParam(
                        "excepto",
                        "Leaves out plannings in this state: `ejecutada` lists those that need work.",
                        example="ejecutada",
                        schema=_RECORDED_STATE,
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
                summary="Shortages of a planning as CSV",
                description=(
                    "The lines that can't be returned completely, with the reason, except excluded ones. The "
                    "CSV is UTF-8 with `;` between cells and decimal commas. It contains no text that a "
                    "spreadsheet would read as a formula."
                ),
                path_params=PLANNING_ID,
                responses={
                    200: Answer(
                        "The CSV file.",
                        Body({"type": "string"}, _SHORTAGES, media_type="text/csv"),
                        headers={"Content-Disposition": "File name with the number of the planning."},
                    )
                },
                errors=(PlanningNotFound, PlanningUnreadable, MetadataMissing),
            ),
        ]

    async def preview(self, request: Request) -> Response:
        """Answer POST /planificaciones/pegar."""
        computing = self._computing.of(caller_of(request).user)
        size = _announced_bytes(request)
        # Large bodies together could fill the memory, so each waits for its share before it is read.
        async with nullcontext() if size <= SMALL_PASTE_BYTES else computing.room_for_body(size):
            body = await read_body(request)
            preview = await while_connected(request, self._open_service(request).preview(body))
            answer = await computing.run_on_thread(preview_json, preview)
        return json_bytes(answer)

    async def create(self, request: Request) -> Response:
        """Answer POST /planificaciones."""
        planning = await self._open_service(request).create(await read_new_planning(request, self._rules))
        response = await answer_detail(planning, self._is_running, status=201)
        # The URL includes the prefix under which a proxy publishes the service.
        response.headers["Location"] = (
            f"{request_facts(request.scope).prefix}/api/planificaciones/{planning.id}"
        )
        return response

    async def list_plannings(self, request: Request) -> Response:
        """Answer GET /planificaciones."""
        where, page, size = read_list_request(request, self._rules.timezone)
        page_of_plannings = await self._open_service(request).find(where, page=page, size=size)
        return json_response(
            ListShape(
                datos=tuple(
                    list_row_of(row, is_running=self._is_running(row.id)) for row in page_of_plannings.rows
                ),
                pagina=page,
                tamano=size,
                total=page_of_plannings.total,
                # Rounded up, so that a partial last page counts.
                paginas=-(-page_of_plannings.total // size),
            )
        )

    async def find_open(self, request: Request) -> Response:
        """Answer GET /planificaciones/abierta."""
        planning = await self._open_service(request).find_open(read_warehouse(request))
        is_running = planning is not None and self._is_running(planning.id)
        return json_bytes(await run_small_work(partial(open_json, is_running=is_running), planning))

    async def get(self, request: Request) -> Response:
        """Answer GET /planificaciones/{id}."""
        planning = await self._open_service(request).get(read_number(request, "id", PlanningNotFound))
        return await answer_detail(planning, self._is_running)

    async def shortages(self, request: Request) -> Response:
        """Answer GET /planificaciones/{id}/faltantes."""
        planning_id = read_number(request, "id", PlanningNotFound)
        planning = await self._open_service(request).get(planning_id)
        return Response(
            await run_small_work(shortages_csv, planning),
            media_type="text/csv; charset=utf-8; header=present",
            headers={"Content-Disposition": f'attachment; filename="faltantes-{planning_id}.csv"'},
        )


def _announced_bytes(request: Request) -> int:
    """Return the announced size of the body. A chunked body counts as the largest possible one."""
    length = request.headers.get("content-length", "")
    return min(int(length), MAX_PASTE_BYTES) if length.isdecimal() else MAX_PASTE_BYTES

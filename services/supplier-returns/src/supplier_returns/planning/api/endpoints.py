"""`/api/planificaciones`: from a paste to a plan that can be adjusted."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Final

import attrs
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
from supplier_returns.planning.api import examples
from supplier_returns.planning.api.answers import OpenService, answer_detail, json_bytes
from supplier_returns.planning.api.bodies import (
    CreateBody,
    DetailShape,
    ListShape,
    OpenShape,
    PreviewShape,
)
from supplier_returns.planning.api.requests import (
    DEFAULT_PAGE_SIZE,
    MAX_PAGE,
    MAX_PAGE_SIZE,
    read_list_request,
    read_new_planning,
    read_number,
    read_warehouse,
)
from supplier_returns.planning.api.showing import list_row_of, open_json, preview_json
from supplier_returns.planning.computing import Computing, beside_the_loop
from supplier_returns.planning.errors import (
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
from supplier_returns.planning.previews import SMALL_PASTE_BYTES
from supplier_returns.planning.sources import PlanningRules
from supplier_returns.web.access import Access, caller_of

_TAG: Final = "Planning"
_ID: Final = {"id": PathParam("The planning.", example=12, schema={"type": "integer", "minimum": 1})}
_WHS_CODE: Final = QueryParam("whsCode", "Only plannings of this warehouse.", example="01")


class PlanningEndpoints:
    """The routes of planning.

    Args:
        open_service: Builds the service for a request.
        computing: Where previews are written.
        rules: Of the installation.
        is_running: Tells whether an execution of a planning runs.
    """

    def __init__(
        self,
        open_service: OpenService,
        computing: Computing,
        rules: PlanningRules,
        is_running: Callable[[int], bool],
    ) -> None:
        self._is_running = is_running
        self._open = open_service
        self._computing = computing
        self._rules = rules

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints of this feature."""
        detail = Answer("The planning.", Body(DetailShape, example=examples.DETAIL))
        return [
            Endpoint(
                "POST",
                "/api/planificaciones/pegar",
                self.preview,
                access=Access.SESSION,
                summary="Preview what a pasted table would become",
                description=(
                    "Stores nothing. Rows that can't be read are listed in `errores` and left out; a number "
                    "that could mean two things is read as Chile writes it and listed in `avisos`."
                ),
                tag=_TAG,
                request=Body(PasteBody, example=examples.PASTE),
                responses={200: Answer("The preview.", Body(PreviewShape, example=examples.PREVIEW))},
                errors=(UnreadablePaste, PasteTooLarge, UnknownWarehouse, PlanningTooLarge, PlanningBusy),
                max_body_bytes=MAX_PASTE_BYTES,
            ),
            Endpoint(
                "POST",
                "/api/planificaciones",
                self.create,
                access=Access.SESSION,
                summary="Plan returns and store the plan",
                description="Plans again with today's stock and receipts, whatever a preview said.",
                tag=_TAG,
                request=Body(CreateBody, example=examples.NEW),
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
                tag=_TAG,
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
                responses={200: Answer("One page.", Body(ListShape, example=examples.LIST))},
                errors=(MetadataMissing,),
            ),
            Endpoint(
                "GET",
                "/api/planificaciones/abierta",
                self.find_open,
                access=Access.SESSION,
                summary="The user's newest open planning",
                tag=_TAG,
                query=(_WHS_CODE,),
                responses={
                    200: Answer(
                        "The planning, or null.", Body(OpenShape, example={"planificacion": examples.DETAIL})
                    )
                },
                errors=(MetadataMissing,),
            ),
            Endpoint(
                "GET",
                "/api/planificaciones/{id}",
                self.get,
                access=Access.SESSION,
                summary="One planning with its lines and documents",
                tag=_TAG,
                path_params=_ID,
                responses={200: detail},
                errors=(PlanningNotFound, PlanningUnreadable, MetadataMissing),
            ),
        ]

    async def preview(self, request: Request) -> Response:
        """Answer POST /planificaciones/pegar."""
        computing = self._computing.of(caller_of(request).user)
        size = _announced_bytes(request)
        async with nullcontext() if size <= SMALL_PASTE_BYTES else computing.room_for_body(size):
            body = await read_body(request)
            preview = await while_connected(request, self._open(request).previews.preview(body))
            answer = await computing.on_thread(preview_json, preview)
        return json_bytes(answer)

    async def create(self, request: Request) -> Response:
        """Answer POST /planificaciones."""
        planning = await self._open(request).create(await read_new_planning(request, self._rules))
        response = await answer_detail(planning, self._is_running, status=201)
        response.headers["Location"] = (
            f"{request_facts(request.scope).prefix}/api/planificaciones/{planning.id}"
        )
        return response

    async def list_plannings(self, request: Request) -> Response:
        """Answer GET /planificaciones."""
        asked = read_list_request(request, self._rules.timezone)
        found = await self._open(request).find(asked.where, page=asked.page, size=asked.size)
        return json_response(
            ListShape(
                datos=tuple(list_row_of(row, is_running=self._is_running(row.id)) for row in found.rows),
                pagina=asked.page,
                tamano=asked.size,
                total=found.total,
                paginas=-(-found.total // asked.size),
            )
        )

    async def find_open(self, request: Request) -> Response:
        """Answer GET /planificaciones/abierta."""
        planning = await self._open(request).find_open(read_warehouse(request))
        is_running = planning is not None and self._is_running(planning.id)
        return json_bytes(await beside_the_loop(partial(open_json, is_running=is_running), planning))

    async def get(self, request: Request) -> Response:
        """Answer GET /planificaciones/{id}."""
        planning = await self._open(request).get(read_number(request, "id", PlanningNotFound))
        return await answer_detail(planning, self._is_running)


def _announced_bytes(request: Request) -> int:
    """Return how long a body says that it is; one that comes in pieces may be as long as any."""
    length = request.headers.get("content-length", "")
    return min(int(length), MAX_PASTE_BYTES) if length.isdecimal() else MAX_PASTE_BYTES

"""`GET /api/metadata/status`, `POST /api/metadata/rebuild`."""

from typing import Final

import msgspec
from attrs import evolve
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint, json_response, read_json
from servicekit.endpoint.event_stream import ACCEPT, EVENTS, stream, wants_events
from supplier_returns.metadata.comparison import (
    State,
    compare,
    compare_fields,
    compare_object,
    compare_tables,
)
from supplier_returns.metadata.definitions import Definitions
from supplier_returns.metadata.errors import RebuildInProgress
from supplier_returns.metadata.installed import Installed
from supplier_returns.metadata.rebuild import Progress, RebuildResult
from supplier_returns.metadata.service import MetadataService
from supplier_returns.metadata.shapes import (
    FieldAnswer,
    ObjectAnswer,
    QueryAnswer,
    RebuildAnswer,
    RebuildBody,
    StatusAnswer,
    TableAnswer,
)
from supplier_returns.saved_queries.installer import QueryState
from supplier_returns.shape_fields import to_shape
from supplier_returns.web.access import Access
from supplier_returns.web.error_map import as_problem
from supplier_returns.web.guard import caller_of, session_check_of, session_of

ADVICE: Final = (
    "Cierre la sesión, iníciela de nuevo y consulte el estado. "
    "Si sigue pendiente, pida al administrador que reinicie el Service Layer."
)

MAX_REBUILD_BYTES: Final = 1024
"""Maximum size of a body with one switch."""


_QUERY_STATES: Final = {
    QueryState.CURRENT: State.OK,
    QueryState.MISSING: State.MISSING,
    QueryState.OLDER: State.DIFFERENT,
    QueryState.NEWER: State.DIFFERENT,
}


class MetadataEndpoints:
    """Routes of the metadata.

    Args:
        service: shows and rebuilds the metadata.
    """

    def __init__(self, service: MetadataService) -> None:
        self._service = service

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints."""
        return [
            Endpoint(
                "GET",
                "/api/metadata/status",
                self.status,
                access=Access.SESSION,
                summary="Show the state of the ERP's definitions",
                responses={200: Answer("State of every definition.", Body(StatusAnswer))},
            ),
            Endpoint(
                "POST",
                "/api/metadata/rebuild",
                self.rebuild,
                access=Access.SESSION,
                summary="Create missing definitions in the ERP",
                description=(
                    "The steps run one after another. You can repeat the request at any time. It never "
                    "deletes or shrinks anything. With `Accept: text/event-stream` the response is a stream: "
                    "an event `progreso` for each step, then `resultado` (the response body) or `error` (a "
                    "problem document). The work continues if the client disconnects."
                ),
                headers=(ACCEPT,),
                request=Body(RebuildBody, required=False),
                responses={
                    200: Answer("Created and changed definitions.", Body(RebuildAnswer), others=(EVENTS,))
                },
                errors=(RebuildInProgress,),
                max_body_bytes=MAX_REBUILD_BYTES,
            ),
        ]

    async def status(self, request: Request) -> Response:
        """Answer GET /metadata/status."""
        installed = await self._service.status(session_of(request), caller_of(request))
        return json_response(_status_answer(self._service.needed, installed))

    async def rebuild(self, request: Request) -> Response:
        """Answer POST /metadata/rebuild, as JSON or as a stream of events."""
        body = await read_json(request, RebuildBody, optional=True)
        # The rebuild continues after its client disconnects, so its calls must not be cancelled.
        caller = evolve(caller_of(request), disconnected=None)
        run = self._service.start(session_of(request), caller, simulate=body.simular)
        if wants_events(request):
            return stream(
                request,
                run,
                progress_json=_progress_json,
                result_json=lambda result: bytes(json_response(_rebuild_answer(result)).body),
                as_problem=as_problem,
                check=session_check_of(request),
            )
        return json_response(_rebuild_answer(await run.result()))


def _progress_json(progress: Progress) -> bytes:
    return msgspec.json.encode(
        {
            "hecho": progress.done,
            "total": progress.total,
            "nombre": progress.name,
            "resultado": progress.outcome,
        }
    )


def _status_answer(needed: Definitions, installed: Installed) -> StatusAnswer:
    return StatusAnswer(
        completo=all(each.state is State.OK for each in compare(needed, installed))
        and all(each.state is QueryState.CURRENT for each in installed.queries),
        tablas=tuple(to_shape(TableAnswer, each) for each in compare_tables(needed, installed)),
        campos=tuple(to_shape(FieldAnswer, each) for each in compare_fields(needed, installed)),
        objeto=to_shape(ObjectAnswer, compare_object(needed.user_object, installed)),
        consultas=tuple(
            to_shape(QueryAnswer, each, estado=_QUERY_STATES[each.state].value) for each in installed.queries
        ),
    )


def _rebuild_answer(result: RebuildResult) -> RebuildAnswer:
    return to_shape(RebuildAnswer, result, mensaje=ADVICE if result.pending_restart else None)

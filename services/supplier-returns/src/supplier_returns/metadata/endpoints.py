"""`GET /api/metadata/status`, `POST /api/metadata/rebuild`."""

from typing import Final

import msgspec
from attrs import evolve, frozen
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint, json_response, read_json
from servicekit.endpoint.event_stream import ACCEPT, EVENTS, stream, wants_events
from supplier_returns.answers import of, shown
from supplier_returns.metadata.comparison import (
    Installed,
    State,
    compare,
    compare_fields,
    compare_object,
    compare_tables,
)
from supplier_returns.metadata.definitions import Definitions
from supplier_returns.metadata.rebuild import MetadataService, Progress, RebuildInProgress, RebuildResult
from supplier_returns.saved_queries.installer import QueryState
from supplier_returns.web.access import Access, caller_of, session_check_of, session_of
from supplier_returns.web.error_map import as_problem

ADVICE: Final = (
    "Cierre la sesión, iníciela de nuevo y consulte el estado. "
    "Si sigue pendiente, pida al administrador que reinicie el Service Layer."
)

MAX_REBUILD_BYTES: Final = 1024
"""One switch."""


_QUERY_STATES: Final = {
    QueryState.CURRENT: State.OK,
    QueryState.MISSING: State.MISSING,
    QueryState.OLDER: State.DIFFERENT,
    QueryState.NEWER: State.DIFFERENT,
}


@frozen(kw_only=True)
class TableAnswer:
    """How a table stands."""

    nombre: str = of("name")
    estado: str = of("state")
    detalle: str | None = of("detail", default=None)


@frozen(kw_only=True)
class FieldAnswer:
    """How a field stands."""

    tabla: str = of("table")
    nombre: str = of("name")
    estado: str = of("state")
    detalle: str | None = of("detail", default=None)


@frozen(kw_only=True)
class ObjectAnswer:
    """How the object stands."""

    codigo: str = of("name")
    estado: str = of("state")
    detalle: str | None = of("detail", default=None)


@frozen(kw_only=True)
class QueryAnswer:
    """How a stored query stands; `versionInstalada` is null when it is missing."""

    nombre: str = of("query.code")
    version: int = of("query.version")
    version_instalada: int | None = of("version")
    estado: str


@frozen(kw_only=True)
class StatusAnswer:
    """How everything stands."""

    completo: bool
    tablas: tuple[TableAnswer, ...]
    campos: tuple[FieldAnswer, ...]
    objeto: ObjectAnswer
    consultas: tuple[QueryAnswer, ...]


@frozen(kw_only=True)
class RebuildBody:
    """Whether to change nothing and only say what would be done."""

    simular: bool = False


@frozen(kw_only=True)
class FailureAnswer:
    """What could not be brought in order."""

    nombre: str = of("name")
    mensaje: str = of("message")


@frozen(kw_only=True)
class RebuildAnswer:
    """What was done; `sinCambios` counts what was in order."""

    creados: tuple[str, ...] = of("created")
    actualizados: tuple[str, ...] = of("updated")
    sin_cambios: int = of("unchanged")
    errores: tuple[FailureAnswer, ...] = of("failures")
    pendiente_reinicio: tuple[str, ...] = of("pending_restart")
    mensaje: str | None = None


class MetadataEndpoints:
    """Handlers of the metadata routes.

    Args:
        service: does the work.
    """

    def __init__(self, service: MetadataService) -> None:
        self._service = service

    def endpoints(self) -> list[Endpoint]:
        """Return both endpoints."""
        return [
            Endpoint(
                "GET",
                "/api/metadata/status",
                self.status,
                access=Access.SESSION,
                summary="What the ERP has of what the service needs",
                responses={200: Answer("How everything stands.", Body(StatusAnswer))},
            ),
            Endpoint(
                "POST",
                "/api/metadata/rebuild",
                self.rebuild,
                access=Access.SESSION,
                summary="Create what is missing",
                description=(
                    "One step after another; can be repeated at any time, never deletes or shrinks anything. "
                    "With `Accept: text/event-stream` the steps are told as events `progreso`, then "
                    "`resultado` (the answer's body) or `error` (a problem document). The work goes on when "
                    "the client leaves."
                ),
                headers=(ACCEPT,),
                request=Body(RebuildBody, required=False),
                responses={200: Answer("What was done.", Body(RebuildAnswer), others=(EVENTS,))},
                errors=(RebuildInProgress,),
                max_body_bytes=MAX_REBUILD_BYTES,
            ),
        ]

    async def status(self, request: Request) -> Response:
        """Answer how everything stands."""
        installed = await self._service.status(session_of(request), caller_of(request))
        return json_response(_status_answer(self._service.needed, installed))

    async def rebuild(self, request: Request) -> Response:
        """Do the work; tell of it while it is done when that is asked for."""
        body = await read_json(request, RebuildBody, optional=True)
        caller = evolve(caller_of(request), gone=None)
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
        tablas=tuple(shown(TableAnswer, each) for each in compare_tables(needed, installed)),
        campos=tuple(shown(FieldAnswer, each) for each in compare_fields(needed, installed)),
        objeto=shown(ObjectAnswer, compare_object(needed.user_object, installed)),
        consultas=tuple(
            shown(QueryAnswer, each, estado=_QUERY_STATES[each.state].value) for each in installed.queries
        ),
    )


def _rebuild_answer(result: RebuildResult) -> RebuildAnswer:
    return shown(RebuildAnswer, result, mensaje=ADVICE if result.pending_restart else None)

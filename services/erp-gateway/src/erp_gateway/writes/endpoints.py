"""`/api/writes`: one's own writes and what is known of them; administrators see everybody's."""

from typing import Final, Literal

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.audit.query import MAX_TEXT_CHARS, QueryReading
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.web.access import Access, Permissions, actor_of, session_of
from erp_gateway.web.odata_errors import KeyBadValue
from erp_gateway.web.requests import DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_PAGE_SIZE, page_params
from erp_gateway.writes.errors import WriteNotFound, WriteNotUnknown, WriteStillOpen
from erp_gateway.writes.resolution import WriteResolution
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.store import WriteFilter, WriteItem
from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    PathParam,
    QueryParam,
    json_response,
    path_param,
    read_json,
    read_query,
)
from servicekit.errors import FieldProblem, InvalidBody, InvalidQuery

_SETTLE_BYTES: Final = 4096


@frozen(kw_only=True)
class WritesAnswer:
    """One page of writes, newest first."""

    items: tuple[WriteItem, ...]
    page: int
    page_size: int
    total: int


@frozen(kw_only=True)
class SettleBody:
    """What became of an unknown write, and the key of the record that it created."""

    result: Literal["done", "not_done"]
    key: str | None = None


_TEXT: Final = {"type": "string", "maxLength": MAX_TEXT_CHARS}
_QUERY: Final = (
    QueryParam(
        "resultado",
        "What is known of it.",
        example="unknown",
        schema={"type": "string", "enum": [state.value for state in WriteState]},
    ),
    QueryParam("recurso", "Resource, exactly.", example="Orders", schema=_TEXT),
    QueryParam("usuario", "Web user, exactly; for administrators.", example="ana", schema=_TEXT),
    *page_params("Writes"),
)
_ID: Final = {"id": PathParam("Number of the write.", example="01JNB0K6T4W5C8Q2V7M3R9XZAE")}


def endpoints(resolution: WriteResolution, permissions: Permissions) -> list[Endpoint]:
    """Declare the endpoints of this feature."""
    handlers = _Handlers(resolution, permissions)
    one = Answer("The write.", Body(WriteItem))
    return [
        Endpoint(
            "GET",
            "/api/writes",
            handlers.list_writes,
            access=Access.SESSION,
            summary="One's own writes, newest first; administrators see everybody's",
            query=_QUERY,
            responses={
                200: Answer(
                    "One page of writes.",
                    Body(WritesAnswer),
                )
            },
            errors=(InvalidQuery, StoreUnavailable),
        ),
        Endpoint(
            "GET",
            "/api/writes/{id}",
            handlers.one,
            access=Access.SESSION,
            summary="One write and what is known of it",
            path_params=_ID,
            responses={200: one},
            errors=(WriteNotFound, StoreUnavailable),
        ),
        Endpoint(
            "POST",
            "/api/writes/{id}/settle",
            handlers.resolve,
            access=Access.SESSION,
            summary="Say what became of an unknown write",
            description="By its user or an administrator, after a look into the ERP.",
            path_params=_ID,
            request=Body(SettleBody),
            responses={200: one},
            errors=(WriteNotFound, WriteNotUnknown, WriteStillOpen, KeyBadValue, StoreUnavailable),
            max_body_bytes=_SETTLE_BYTES,
        ),
    ]


class _Handlers:
    def __init__(self, resolution: WriteResolution, permissions: Permissions) -> None:
        self._resolution = resolution
        self._permissions = permissions

    async def list_writes(self, request: Request) -> Response:
        reading = QueryReading(read_query(request))
        state = reading.word("resultado", WriteState)
        page = reading.number("page", MAX_PAGE, 1)
        size = reading.number("pageSize", MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE)
        resource, web_user = reading.text("recurso"), reading.text("usuario")
        own = self._only_of(request)
        if own is not None and reading.parameters.get("usuario", own) != own:
            reading.problems.append(
                FieldProblem("usuario", "Solo un administrador ve las operaciones de otros.")
            )
        reading.check()
        conditions = WriteFilter(web_user=own or web_user, resource=resource, state=state)
        items, total = await self._resolution.store.find_page(conditions, page=page, page_size=size)
        return json_response(WritesAnswer(items=items, page=page, page_size=size, total=total))

    async def one(self, request: Request) -> Response:
        return json_response(await self._get(request))

    async def resolve(self, request: Request) -> Response:
        record = await self._get(request)
        body = await read_json(request, SettleBody)
        if body.key is not None and not 1 <= len(body.key) <= MAX_TEXT_CHARS:
            raise InvalidBody(
                errors=[FieldProblem("key", f"Debe tener entre 1 y {MAX_TEXT_CHARS} caracteres.")]
            )
        await self._resolution.resolve(record, WriteState(body.result), body.key, actor_of(request))
        return json_response(await self._get(request))

    async def _get(self, request: Request) -> WriteItem:
        return await self._resolution.get(path_param(request, "id"), only_of=self._only_of(request))

    def _only_of(self, request: Request) -> str | None:
        """Return whose writes the caller may see, None for everybody's."""
        web_user = session_of(request).web_user
        return None if self._permissions.is_admin(web_user) else web_user

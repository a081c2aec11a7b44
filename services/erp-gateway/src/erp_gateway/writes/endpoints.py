"""`/api/writes`: a user's own writes and their states; administrators see everybody's."""

from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.audit.query import MAX_TEXT_CHARS, QueryParser
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.web.access import Access, Permissions, actor_of, session_of
from erp_gateway.web.odata_errors import KeyBadValue
from erp_gateway.web.requests import DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_PAGE_SIZE
from erp_gateway.writes.errors import WriteNotFound, WriteNotUnknown, WriteStillOpen
from erp_gateway.writes.items import WriteFilter, WriteItem
from erp_gateway.writes.resolution import WriteResolution
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.shapes import (
    LIST_QUERY,
    MAX_SETTLE_BYTES,
    ONE_WRITE,
    WRITE_ID,
    SettleBody,
    WritesAnswer,
)
from servicekit.endpoint import Answer, Body, Endpoint, json_response, path_param, read_json, read_query
from servicekit.errors import FieldProblem, InvalidBody, InvalidQuery


@define(eq=False, repr=False)
class WriteEndpoints:
    """Handlers of writes.

    Args:
        resolution: reads and resolves writes.
        permissions: rights of web users.
    """

    _resolution: WriteResolution
    _permissions: Permissions

    async def list_writes(self, request: Request) -> Response:
        """Answer a page of writes: the caller's own, or everybody's for an administrator."""
        reading = QueryParser(read_query(request))
        state = reading.choice("resultado", WriteState)
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

    async def get_write(self, request: Request) -> Response:
        """Answer one write."""
        return json_response(await self._get(request))

    async def resolve(self, request: Request) -> Response:
        """Record the outcome of an unknown write as the caller states it."""
        record = await self._get(request)
        body = await read_json(request, SettleBody)
        if body.key is not None and not 1 <= len(body.key) <= MAX_TEXT_CHARS:
            raise InvalidBody(
                errors=[FieldProblem("key", f"Debe tener entre 1 y {MAX_TEXT_CHARS} caracteres.")]
            )
        await self._resolution.resolve(record, WriteState(body.result), body.key, actor_of(request))
        return json_response(await self._get(request))

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of writes."""
        return [
            Endpoint(
                "GET",
                "/api/writes",
                self.list_writes,
                access=Access.SESSION,
                summary="One's own writes, newest first; administrators see everybody's",
                query=LIST_QUERY,
                responses={
                    200: Answer("One page of writes.", Body(WritesAnswer)),
                },
                errors=(InvalidQuery, StoreUnavailable),
            ),
            Endpoint(
                "GET",
                "/api/writes/{id}",
                self.get_write,
                access=Access.SESSION,
                summary="One write and its outcome",
                path_params=WRITE_ID,
                responses={200: ONE_WRITE},
                errors=(WriteNotFound, StoreUnavailable),
            ),
            Endpoint(
                "POST",
                "/api/writes/{id}/settle",
                self.resolve,
                access=Access.SESSION,
                summary="Say what became of an unknown write",
                description="For its user or an administrator, who has checked the ERP.",
                path_params=WRITE_ID,
                request=Body(SettleBody),
                responses={200: ONE_WRITE},
                errors=(WriteNotFound, WriteNotUnknown, WriteStillOpen, KeyBadValue, StoreUnavailable),
                max_body_bytes=MAX_SETTLE_BYTES,
            ),
        ]

    async def _get(self, request: Request) -> WriteItem:
        return await self._resolution.get(path_param(request, "id"), only_of=self._only_of(request))

    def _only_of(self, request: Request) -> str | None:
        """Return the user whose writes the caller may see; None for every user."""
        web_user = session_of(request).user.name
        return None if self._permissions.is_admin(web_user) else web_user

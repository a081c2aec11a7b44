"""`/api/erpdb`: registered queries and definitions of user-defined fields."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.exports import shapes as exports
from erp_gateway.files.exports.errors import EXPORT_ERRORS
from erp_gateway.files.exports.options import read_export_options
from erp_gateway.files.exports.response import ExportResponse
from erp_gateway.queries import errors
from erp_gateway.queries.pages import Page
from erp_gateway.queries.registry import Query
from erp_gateway.queries.service import QueryService, Run
from erp_gateway.queries.shapes import ParameterItem, QueriesAnswer, QueryItem, RunQuery
from erp_gateway.queries.user_field_cache import UserFieldCache
from erp_gateway.queries.user_fields import MAX_NAME, UserField
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.values.parameters.declare import (
    ReportParameter,
    shown_parameters,
)
from erp_gateway.web.access import Access, Permissions, actor_of, is_admin_request, lasting_right, session_of
from erp_gateway.web.requests import says_no_cache
from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    PathParam,
    client_gone,
    json_response,
    path_param,
    read_json,
    read_query,
)
from servicekit.endpoint.declare import HeaderParam
from servicekit.erp.errors import ClientGone
from servicekit.errors import (
    FieldProblem,
    InvalidBody,
    InvalidPath,
    MalformedJson,
    NotConfigured,
    UnsupportedMediaType,
)
from servicekit.request_log import request_facts

_NAME: Final = {"name": PathParam("Name of the query", "stock_by_warehouse")}
_IDENTIFIER: Final = {"type": "string", "pattern": "^[A-Za-z0-9_]+$", "maxLength": MAX_NAME}
_FIELD: Final = {
    "table": PathParam("Table that holds the field; a user table without its `@`", "ORDR", _IDENTIFIER),
    "alias": PathParam("Name of the field, with or without `U_`", "CANAL", _IDENTIFIER),
}


_QUERIES: Final = Body(QueriesAnswer)
_QUERY: Final = Body(QueryItem)
MAX_PARAMETERS_BYTES: Final = 256 * 1024
"""Ten texts at their longest, with every character of four bytes."""

_HEADERS: Final = (
    HeaderParam("Cache-Control", "`no-cache`: the database is asked whatever is in memory", "no-cache"),
)
_AGE: Final = {"Age": "Seconds since the database was asked, where the answer is from memory (`cacheS`)"}
_WHOLE_FILES: Final = "Un archivo lleva todas las filas; las páginas solo se piden sin archivo."

_RUN: Final = Body(RunQuery)
_RESULT: Final = Body(
    {
        "type": "object",
        "required": ["rows", "truncated"],
        "additionalProperties": False,
        "properties": {
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
                },
            },
            "truncated": {"type": "boolean"},
            "nextOffset": {"type": ["integer", "null"]},
        },
    },
    {
        "rows": [{"ItemCode": "A0001", "OnHand": 12.5, "LastMove": "2026-02-11T00:00:00"}],
        "truncated": True,
        "nextOffset": 1500,
    },
)
_USER_FIELD: Final = Body(UserField)


class ErpDatabaseEndpoints:
    """Handlers of the database queries.

    Args:
        service: runs the queries.
        user_fields: definitions of user-defined fields; None while no engine is configured.
        permissions: rights of web users.
    """

    def __init__(
        self,
        service: QueryService,
        user_fields: UserFieldCache | None,
        permissions: Permissions,
    ) -> None:
        self._user_fields = user_fields
        self._permissions = permissions
        self._service = service

    async def list_queries(self, request: Request) -> Response:
        """List the queries that the user may run."""
        service = self._service
        permitted = service.permitted(self._allows(request))
        items = tuple(self._item(request, query, service.listed(query)) for query in permitted)
        return json_response(QueriesAnswer(items=items))

    async def query_form(self, request: Request) -> Response:
        """Return one query with its form."""
        query, parameters = await self._service.form(
            path_param(request, "name"), self._allows(request), actor_of(request)
        )
        return json_response(self._item(request, query, parameters))

    async def run_query(self, request: Request) -> Response:
        """Run a query and return its rows."""
        name = path_param(request, "name")
        self._service.check(name, self._allows(request))
        export_options = read_export_options(request.headers.get("accept", ""), read_query(request))
        body = await read_json(request, RunQuery)
        actor, disconnected = actor_of(request), partial(client_gone, request)
        page = Page(limit=body.limit, offset=body.offset)
        if export_options is not None:
            if page.is_requested:
                raise InvalidBody(errors=[FieldProblem("limit", _WHOLE_FILES)])
            check = lasting_right(request, partial(self._service.check, name, self._allows(request)))
            return ExportResponse(
                await self._service.export(
                    name, body.params, export_options, actor=actor, disconnected=disconnected, check=check
                )
            )
        bypass_cache = says_no_cache(request.headers.getlist("cache-control"))
        run = Run(name=name, params=body.params, page=page, bypass_cache=bypass_cache)
        cached = await self._service.run(run, actor=actor, disconnected=disconnected)
        headers = {}
        if cached.age_s is not None:
            request_facts(request.scope).cached = True
            headers["Age"] = str(int(cached.age_s))
        return Response(cached.answer.body, media_type="application/json", headers=headers)

    async def get_user_field(self, request: Request) -> Response:
        """Return the definition of a user-defined field."""
        table, alias = path_param(request, "table"), path_param(request, "alias")
        if self._user_fields is None:
            raise NotConfigured
        return json_response(await self._user_fields.find(table, alias))

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the database queries."""
        return [
            Endpoint(
                "GET",
                "/api/erpdb/queries",
                self.list_queries,
                access=Access.SESSION,
                summary="Queries the user may run",
                responses={200: Answer("The queries, by name.", _QUERIES)},
                errors=(NotConfigured,),
            ),
            Endpoint(
                "GET",
                "/api/erpdb/queries/{name}",
                self.query_form,
                access=Access.SESSION,
                summary="One query, with the options of its parameters",
                description=(
                    "Needs permission for the query's menu route, where it has one. Days that move are those "
                    "of today. Options that come from a query (`optionsFrom`) are those of this moment; the "
                    "list has none of them."
                ),
                path_params=_NAME,
                responses={200: Answer("The query.", _QUERY)},
                errors=(
                    *errors.DATABASE_ERRORS,
                    PermissionDenied,
                    errors.QueryNotFound,
                    errors.QueryOptionsFailed,
                ),
            ),
            Endpoint(
                "POST",
                "/api/erpdb/queries/{name}",
                self.run_query,
                access=Access.SESSION,
                summary="Run a query",
                description=(
                    "Needs permission for the query's menu route, where it has one. A parameter that is not "
                    "sent takes its default. Decimals keep all their digits, days and times are ISO 8601 "
                    "without a zone, binaries are base64. `truncated` tells that there are more rows than "
                    "`maxRows`, or than `limit`. A query that is `paged` takes `limit` and `offset`, and "
                    "`nextOffset` is where its next page begins, null behind the last row. A query with "
                    "`cacheS` may be answered from memory. As a file it is whole or it is refused, headed by "
                    "the query's `titles`, and never from memory."
                ),
                path_params=_NAME,
                headers=_HEADERS,
                request=_RUN,
                max_body_bytes=MAX_PARAMETERS_BYTES,
                query=exports.QUERY,
                responses={
                    200: Answer(
                        "The rows, with the columns as the query names them.",
                        _RESULT,
                        {**exports.DISPOSITION_HEADER, **_AGE},
                        exports.FILES,
                    )
                },
                errors=(
                    *errors.DATABASE_ERRORS,
                    *EXPORT_ERRORS,
                    ClientGone,
                    InvalidBody,
                    MalformedJson,
                    PermissionDenied,
                    UnsupportedMediaType,
                    errors.QueryNotFound,
                    errors.QueryOptionsFailed,
                    errors.QueryOrderNotTotal,
                ),
            ),
            Endpoint(
                "GET",
                "/api/erpdb/user-fields/{table}/{alias}",
                self.get_user_field,
                access=Access.SESSION,
                summary="Definition of a user-defined field",
                description=(
                    "Its type, size and valid values, and the codes of the user table that it is linked to. "
                    "Answers may be ten minutes old."
                ),
                path_params=_FIELD,
                responses={200: Answer("The definition.", _USER_FIELD)},
                errors=(*errors.DATABASE_ERRORS, InvalidPath, errors.UserFieldNotFound),
            ),
        ]

    def _allows(self, request: Request) -> Callable[[str], bool]:
        return partial(self._permissions.allows, session_of(request).user.name)

    def _item(self, request: Request, query: Query, parameters: Iterable[ReportParameter]) -> QueryItem:
        shown_items = shown_parameters(parameters, to_administrator=is_admin_request(request))
        return QueryItem(
            name=query.name,
            title=query.title,
            parameters=tuple(
                ParameterItem(name=each.name, type=each.type, label=each.label, input=form.input)
                for each, form in zip(query.parameters, shown_items, strict=True)
            ),
            titles=dict(query.titles),
            measures=dict(query.measures),
            max_rows=self._service.row_cap(query),
            paged=bool(query.total_order),
            cache_s=query.cache_s,
        )

"""`/api/erpdb`: registered queries and definitions of user-defined fields."""

import asyncio
from functools import partial
from typing import Any, Final

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.erpdb import refusals
from erp_gateway.erpdb.answer import SMALL_ANSWER_ROWS, encode_result
from erp_gateway.erpdb.opening import ErpDatabase
from erp_gateway.erpdb.registry import ParameterType, Query
from erp_gateway.erpdb.service import QueryService, Recorder
from erp_gateway.erpdb.user_fields.definitions import MAX_NAME, UserField
from erp_gateway.exports import asked as exports
from erp_gateway.exports.asked import read_asked
from erp_gateway.exports.errors import EXPORT_ERRORS
from erp_gateway.exports.exporter import Exporter
from erp_gateway.exports.response import ExportResponse
from erp_gateway.refusals import PermissionDenied
from erp_gateway.web.access import Access, Permissions, actor_of, session_of
from erp_gateway.web.upstream_errors import ClientGone
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
from servicekit.errors import (
    InvalidBody,
    InvalidPath,
    MalformedJson,
    NotConfigured,
    UnsupportedMediaType,
)

_TAG: Final = "ERP database"
_NAME: Final = {"name": PathParam("Name of the query", "stock_by_warehouse")}
_IDENTIFIER: Final = {"type": "string", "pattern": "^[A-Za-z0-9_]+$", "maxLength": MAX_NAME}
_FIELD: Final = {
    "table": PathParam("Table that holds the field; a user table without its `@`", "ORDR", _IDENTIFIER),
    "alias": PathParam("Name of the field, with or without `U_`", "CANAL", _IDENTIFIER),
}


@frozen(kw_only=True)
class ParameterItem:
    """A parameter as clients see it."""

    name: str
    type: ParameterType


@frozen(kw_only=True)
class QueryItem:
    """A query as clients see it; its SQL stays here."""

    name: str
    title: str
    parameters: tuple[ParameterItem, ...]
    max_rows: int


@frozen(kw_only=True)
class QueriesAnswer:
    """The queries that the person may run, by name."""

    items: tuple[QueryItem, ...]


@frozen(kw_only=True)
class RunQuery:
    """What a query is run with: a value for each of its parameters, by name."""

    params: dict[str, Any]


_QUERIES: Final = Body(
    QueriesAnswer,
    {
        "items": [
            {
                "name": "stock_by_warehouse",
                "title": "Existencias por bodega",
                "parameters": [{"name": "warehouse", "type": "string"}, {"name": "since", "type": "date"}],
                "maxRows": 5000,
            }
        ]
    },
)
MAX_PARAMETERS_BYTES: Final = 256 * 1024
"""Ten texts at their longest, with every character of four bytes."""

_RUN: Final = Body(RunQuery, {"params": {"warehouse": "01", "since": "2026-01-31"}})
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
        },
    },
    {
        "rows": [{"ItemCode": "A0001", "OnHand": 12.5, "LastMove": "2026-02-11T00:00:00"}],
        "truncated": False,
    },
)
_USER_FIELD: Final = Body(
    UserField,
    {
        "table": "ORDR",
        "alias": "CANAL",
        "description": "Canal de venta",
        "type": "text",
        "size": 10,
        "validValues": [{"value": "WEB", "description": "Tienda en línea"}],
        "linkedTable": {
            "table": "CANALES",
            "rows": [{"code": "WEB", "name": "Tienda en línea"}],
            "truncated": False,
        },
    },
)


class ErpDatabaseEndpoints:
    """Handlers of the database queries.

    Args:
        database: the module.
        permissions: what web users may do.
        recorder: where runs are recorded.
        exporter: makes files.
    """

    def __init__(
        self, database: ErpDatabase, permissions: Permissions, recorder: Recorder, exporter: Exporter
    ) -> None:
        self._database = database
        self._permissions = permissions
        self._service = QueryService(database.runner, recorder, exporter)

    async def list_queries(self, request: Request) -> Response:
        """Answer the queries that the person may run."""
        permitted = self._service.permitted(partial(self._permissions.allows, session_of(request).web_user))
        return json_response(QueriesAnswer(items=tuple(self._item(query) for query in permitted)))

    async def run_query(self, request: Request) -> Response:
        """Run a query and answer its rows."""
        name = path_param(request, "name")
        self._service.check(name, partial(self._permissions.allows, session_of(request).web_user))
        asked = read_asked(request.headers.get("accept", ""), read_query(request))
        body = await read_json(request, RunQuery)
        actor, gone = actor_of(request), partial(client_gone, request)
        if asked is not None:
            return ExportResponse(
                await self._service.export(name, body.params, asked, actor=actor, gone=gone)
            )
        result = await self._service.run(name, body.params, actor=actor, gone=gone)
        small = len(result.rows) <= SMALL_ANSWER_ROWS
        answer = encode_result(result) if small else await asyncio.to_thread(encode_result, result)
        return Response(answer, media_type="application/json")

    async def get_user_field(self, request: Request) -> Response:
        """Answer the definition of a user-defined field."""
        table, alias = path_param(request, "table"), path_param(request, "alias")
        return json_response(await self._database.user_fields.find(table, alias))

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the database queries."""
        return [
            Endpoint(
                "GET",
                "/api/erpdb/queries",
                self.list_queries,
                access=Access.SESSION,
                summary="Queries the user may run",
                tag=_TAG,
                responses={200: Answer("The queries, by name.", _QUERIES)},
                errors=(NotConfigured,),
            ),
            Endpoint(
                "POST",
                "/api/erpdb/queries/{name}",
                self.run_query,
                access=Access.SESSION,
                summary="Run a query",
                description=(
                    "Needs permission for the query's menu route, where it has one. Decimals keep all their "
                    "digits, days and times are ISO 8601 without a zone, binaries are base64. `truncated` "
                    "tells that there are more rows than `maxRows`. As a file it is whole or it is refused."
                ),
                tag=_TAG,
                path_params=_NAME,
                request=_RUN,
                max_body_bytes=MAX_PARAMETERS_BYTES,
                query=exports.QUERY,
                responses={
                    200: Answer(
                        "The rows, with the columns as the query names them.",
                        _RESULT,
                        exports.DISPOSITION_HEADER,
                        exports.FILES,
                    )
                },
                errors=(
                    *refusals.DATABASE_ERRORS,
                    *EXPORT_ERRORS,
                    ClientGone,
                    InvalidBody,
                    MalformedJson,
                    PermissionDenied,
                    UnsupportedMediaType,
                    refusals.QueryNotFound,
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
                tag=_TAG,
                path_params=_FIELD,
                responses={200: Answer("The definition.", _USER_FIELD)},
                errors=(*refusals.DATABASE_ERRORS, InvalidPath, refusals.UserFieldNotFound),
            ),
        ]

    def _item(self, query: Query) -> QueryItem:
        return QueryItem(
            name=query.name,
            title=query.title,
            parameters=tuple(ParameterItem(name=each.name, type=each.type) for each in query.parameters),
            max_rows=self._database.row_cap(query),
        )

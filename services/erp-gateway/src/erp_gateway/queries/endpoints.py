"""`/api/erpdb`: registered queries and definitions of user-defined fields."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.exports import shapes as exports
from erp_gateway.files.exports.errors import EXPORT_ERRORS
from erp_gateway.queries import errors
from erp_gateway.queries.handlers import (
    AGE_HEADER,
    COUNT_BODY,
    MAX_PARAMETERS_BYTES,
    NAME_PARAM,
    QUERIES_BODY,
    QUERY_BODY,
    RESULT_BODY,
    RUN_BODY,
    RUN_HEADERS,
    TOTAL_BODY,
    QueryHandlers,
)
from erp_gateway.queries.service import QueryService
from erp_gateway.queries.user_field_cache import UserFieldCache
from erp_gateway.queries.user_fields import MAX_NAME, UserField
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web.access import Access, Permissions
from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    PathParam,
    json_response,
    path_param,
)
from servicekit.erp.errors import ClientGone
from servicekit.errors import (
    InvalidBody,
    InvalidPath,
    MalformedJson,
    NotConfigured,
    UnsupportedMediaType,
)

_IDENTIFIER: Final = {"type": "string", "pattern": "^[A-Za-z0-9_]+$", "maxLength": MAX_NAME}
_FIELD: Final = {
    "table": PathParam("Table that holds the field; a user table without its `@`", "ORDR", _IDENTIFIER),
    "alias": PathParam("Name of the field, with or without `U_`", "CANAL", _IDENTIFIER),
}


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
        self._queries = QueryHandlers(service, permissions)

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
                self._queries.list_queries,
                access=Access.SESSION,
                summary="Queries the user may run",
                responses={200: Answer("The queries, by name.", QUERIES_BODY)},
                errors=(NotConfigured,),
            ),
            Endpoint(
                "GET",
                "/api/erpdb/queries/{name}",
                self._queries.query_form,
                access=Access.SESSION,
                summary="One query, with the options of its parameters",
                description=(
                    "Needs permission for the query's menu route, where it has one. Days that move are those "
                    "of today. Options that come from a query (`optionsFrom`) are those of this moment; the "
                    "list has none of them."
                ),
                path_params=NAME_PARAM,
                responses={200: Answer("The query.", QUERY_BODY)},
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
                self._queries.run_query,
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
                path_params=NAME_PARAM,
                headers=RUN_HEADERS,
                request=RUN_BODY,
                max_body_bytes=MAX_PARAMETERS_BYTES,
                query=exports.QUERY,
                responses={
                    200: Answer(
                        "The rows, with the columns as the query names them.",
                        RESULT_BODY,
                        {**exports.DISPOSITION_HEADER, **AGE_HEADER},
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
                "POST",
                "/api/erpdb/queries/{name}/count",
                self._queries.count_rows,
                access=Access.SESSION,
                summary="Count the rows of a query",
                description=(
                    "With the permission, the parameters and the audit of a run. The database counts all "
                    "rows, however many an answer may have; it takes as long as the query."
                ),
                path_params=NAME_PARAM,
                request=COUNT_BODY,
                max_body_bytes=MAX_PARAMETERS_BYTES,
                responses={200: Answer("The number of rows.", TOTAL_BODY)},
                errors=(
                    *errors.DATABASE_ERRORS,
                    ClientGone,
                    InvalidBody,
                    MalformedJson,
                    PermissionDenied,
                    UnsupportedMediaType,
                    errors.QueryNotFound,
                    errors.QueryOptionsFailed,
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

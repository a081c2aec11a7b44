"""`/api/sl-queries`: queries that the ERP keeps and the Service Layer runs."""

from erp_gateway.files.exports import shapes as exports
from erp_gateway.files.exports.errors import EXPORT_ERRORS
from erp_gateway.queries.errors import QueryNotFound, QueryOptionsFailed
from erp_gateway.queries.handlers import (
    AGE_HEADER,
    MAX_PARAMETERS_BYTES,
    NAME_PARAM,
    QUERIES_BODY,
    QUERY_BODY,
    RESULT_BODY,
    RUN_BODY,
    RUN_HEADERS,
    QueryHandlers,
)
from erp_gateway.queries.service import QueryService
from erp_gateway.queries.stored.errors import STORED_QUERY_ERRORS
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web.access import Access, Permissions
from erp_gateway.web.upstream_errors import UPSTREAM_FAILURES, UPSTREAM_REFUSALS
from servicekit.endpoint import Answer, Endpoint
from servicekit.erp.errors import ClientGone
from servicekit.errors import InvalidBody, MalformedJson, UnsupportedMediaType


class StoredQueryEndpoints:
    """Handlers of the stored queries.

    Args:
        service: runs the queries.
        permissions: rights of web users.
    """

    def __init__(self, service: QueryService, permissions: Permissions) -> None:
        self._queries = QueryHandlers(service, permissions)

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the stored queries."""
        return [
            Endpoint(
                "GET",
                "/api/sl-queries",
                self._queries.list_queries,
                access=Access.SESSION,
                summary="Stored queries the user may run",
                responses={200: Answer("The queries, by name.", QUERIES_BODY)},
            ),
            Endpoint(
                "GET",
                "/api/sl-queries/{name}",
                self._queries.query_form,
                access=Access.SESSION,
                summary="One stored query, with the options of its parameters",
                description="As `GET /api/erpdb/queries/{name}`, for a query that the ERP keeps.",
                path_params=NAME_PARAM,
                responses={200: Answer("The query.", QUERY_BODY)},
                errors=(
                    *UPSTREAM_REFUSALS,
                    *UPSTREAM_FAILURES,
                    *STORED_QUERY_ERRORS,
                    PermissionDenied,
                    QueryNotFound,
                    QueryOptionsFailed,
                ),
            ),
            Endpoint(
                "POST",
                "/api/sl-queries/{name}",
                self._queries.run_query,
                access=Access.SESSION,
                summary="Run a stored query",
                description=(
                    "As `POST /api/erpdb/queries/{name}`, through the Service Layer: one ERP call for all "
                    "rows. The ERP writes dates as `YYYYMMDD`. Stored queries have no pages, since the ERP "
                    "may order each page anew. A text with a single quote, `&` or a control character is "
                    "refused."
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
                    *UPSTREAM_REFUSALS,
                    *UPSTREAM_FAILURES,
                    *STORED_QUERY_ERRORS,
                    *EXPORT_ERRORS,
                    ClientGone,
                    InvalidBody,
                    MalformedJson,
                    PermissionDenied,
                    UnsupportedMediaType,
                    QueryNotFound,
                    QueryOptionsFailed,
                ),
            ),
        ]

"""`/api/erpdb` while no database engine is connected: every route with its access rule, answering 503."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.web.access import Access
from servicekit.endpoint import Endpoint, PathParam
from servicekit.errors import NotConfigured

_TAG: Final = "ERP database"
_NAME: Final = {"name": PathParam("Name of the query", "stock_by_warehouse")}
_FIELD: Final = {
    "table": PathParam("Table that holds the field", "ORDR"),
    "alias": PathParam("Name of the field without its U_", "WEB_USER"),
}


async def refuse(request: Request) -> Response:  # noqa: ARG001 - a handler's signature
    """Answer that no database engine is configured."""
    raise NotConfigured


def endpoints() -> list[Endpoint]:
    """Return every endpoint of the database queries."""
    return [
        _endpoint("GET", "/api/erpdb/queries", "Queries the user may run", {}),
        _endpoint("POST", "/api/erpdb/queries/{name}", "Run a query", _NAME),
        _endpoint(
            "GET", "/api/erpdb/user-fields/{table}/{alias}", "Definition of a user-defined field", _FIELD
        ),
    ]


def _endpoint(method: str, path: str, summary: str, path_params: dict[str, PathParam]) -> Endpoint:
    return Endpoint(
        method,
        path,
        refuse,
        access=Access.SESSION,
        summary=summary,
        description="Not part of this version: answers 503 `not_configured`.",
        tag=_TAG,
        path_params=path_params,
        responses={},
        errors=(NotConfigured,),
    )

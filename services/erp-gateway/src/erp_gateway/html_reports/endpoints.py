"""`/api/html-reports` while no report is defined: the empty list, and 503 for rendering one."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.refusals import PermissionDenied
from erp_gateway.web.access import MenuAccess
from servicekit.endpoint import Answer, Body, Endpoint, PathParam, json_response
from servicekit.errors import NotConfigured

_RUN: Final = MenuAccess("/reportes-html/ejecutar")
_TAG: Final = "HTML reports"
_CODE: Final = {"code": PathParam("Code of the report", "ventas-del-mes")}
_NOT_YET: Final = "Not part of this version: answers 503 `not_configured`."
_LIST: Final = Body(
    {"type": "object", "required": ["items"], "properties": {"items": {"type": "array"}}}, {"items": []}
)


async def list_reports(request: Request) -> Response:  # noqa: ARG001 - a handler's signature
    """Answer the empty list of reports."""
    return json_response({"items": []})


async def refuse(request: Request) -> Response:  # noqa: ARG001 - a handler's signature
    """Answer that no report is configured."""
    raise NotConfigured


def endpoints() -> list[Endpoint]:
    """Return every endpoint of the HTML reports."""
    return [
        Endpoint(
            "GET",
            "/api/html-reports",
            list_reports,
            access=_RUN,
            summary="Available HTML reports",
            tag=_TAG,
            responses={200: Answer("The reports with their parameters", _LIST)},
            errors=(PermissionDenied,),
        ),
        _refused("/api/html-reports/{code}/render", "Render a report as HTML"),
        _refused("/api/html-reports/{code}/pdf", "Print a report as PDF"),
    ]


def _refused(path: str, summary: str) -> Endpoint:
    return Endpoint(
        "POST",
        path,
        refuse,
        access=_RUN,
        summary=summary,
        description=_NOT_YET,
        tag=_TAG,
        path_params=_CODE,
        responses={},
        errors=(NotConfigured, PermissionDenied),
    )

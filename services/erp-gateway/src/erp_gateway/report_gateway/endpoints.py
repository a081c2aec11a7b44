"""`/api/gateway` while no report gateway is connected: every route with its access rule, answering 503."""

from typing import Final

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.menu_routes import is_menu_route
from erp_gateway.refusals import PermissionDenied
from erp_gateway.web.access import Access, AccessKind, MenuAccess, Permissions, session_of
from servicekit.endpoint import Body, Endpoint, Handler, PathParam, QueryParam, read_json, read_query
from servicekit.errors import FieldProblem, InvalidBody, InvalidQuery, NotConfigured

_RUN: Final = MenuAccess("/reportes/ejecutar")
_TAG: Final = "Report gateway"
_CODE: Final = {"code": PathParam("Code of the report", "RCRI0001")}
_NO_ROUTE: Final = "Debe ser una ruta de menú exacta, como /ventas/pedidos."


@frozen(kw_only=True)
class DocumentExport:
    """Which document to print, in which format, from which screen.

    Attributes:
        screen: exact menu route of the screen.
        code: code of the report.
        doc_entry: `DocEntry` of the document.
    """

    screen: str
    code: str
    doc_entry: int


class UnconnectedReportGateway:
    """Stands in for the report gateway: checks who asks, then says that it is not configured.

    Args:
        permissions: what web users may do.
    """

    def __init__(self, permissions: Permissions) -> None:
        self._permissions = permissions

    async def refuse(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Answer that the report gateway is not configured."""
        raise NotConfigured

    async def documents(self, request: Request) -> Response:
        """Check the menu of the named screen before answering."""
        screen = read_query(request)["screen"]
        if not is_menu_route(screen):
            raise InvalidQuery(errors=[FieldProblem("screen", _NO_ROUTE)])
        return await self._for_screen(request, screen)

    async def export_document(self, request: Request) -> Response:
        """Check the menu of the named screen before answering."""
        asked = await read_json(request, DocumentExport)
        if not is_menu_route(asked.screen):
            raise InvalidBody(errors=[FieldProblem("screen", _NO_ROUTE)])
        return await self._for_screen(request, asked.screen)

    async def _for_screen(self, request: Request, screen: str) -> Response:
        if not self._permissions.allows(session_of(request).web_user, screen):
            raise PermissionDenied(screen)
        return await self.refuse(request)

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the report gateway."""
        admin, run = Access.ADMIN, _RUN
        return [
            _endpoint("GET", "/api/gateway/authorized", self.refuse, admin, "Reports the gateway authorises"),
            _endpoint(
                "GET",
                "/api/gateway/authorized/{code}/parameters",
                self.refuse,
                admin,
                "Parameters of a report",
            ),
            _endpoint("GET", "/api/gateway/registry", self.refuse, admin, "Registered reports"),
            _endpoint(
                "PUT", "/api/gateway/registry/{code}", self.refuse, admin, "Register or update a report"
            ),
            _endpoint("DELETE", "/api/gateway/registry/{code}", self.refuse, admin, "Remove a report"),
            _endpoint("GET", "/api/gateway/reports", self.refuse, run, "Enabled reports"),
            _endpoint("POST", "/api/gateway/reports/{code}/export", self.refuse, run, "Make a report's PDF"),
            _endpoint(
                "GET",
                "/api/gateway/documents",
                self.documents,
                Access.SCREEN,
                "PDF formats of a screen's documents",
                query=(
                    QueryParam(
                        "screen",
                        "Menu route of the screen",
                        "/ventas/pedidos",
                        {"type": "string"},
                        required=True,
                    ),
                ),
            ),
            _endpoint(
                "POST",
                "/api/gateway/documents/export",
                self.export_document,
                Access.SCREEN,
                "PDF of a document",
                request=Body(
                    DocumentExport, {"screen": "/ventas/pedidos", "code": "RDR10003", "docEntry": 2451}
                ),
            ),
        ]


def _endpoint(
    method: str,
    path: str,
    handler: Handler,
    access: AccessKind,
    summary: str,
    *,
    query: tuple[QueryParam, ...] = (),
    request: Body | None = None,
) -> Endpoint:
    return Endpoint(
        method,
        path,
        handler,
        access=access,
        summary=summary,
        description="Not part of this version: answers 503 `not_configured`.",
        tag=_TAG,
        path_params=_CODE if "{code}" in path else {},
        query=query,
        request=request,
        responses={},
        errors=(NotConfigured, PermissionDenied, *((InvalidQuery,) if query else ())),
    )

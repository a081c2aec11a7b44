"""`/api/home`: the figures of the home page."""

from functools import partial
from typing import Final

from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.records.home.service import HomeService
from erp_gateway.records.home.shapes import Home
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.web.access import Access, Permissions, is_admin_request, session_of
from servicekit.endpoint import Answer, Body, Endpoint, json_response, read_query
from servicekit.errors import InvalidQuery

_DESCRIPTION: Final = (
    "A card for each resource that the caller may read: orders due, overdue invoices of customers and "
    "suppliers, items below their minimum; besides, unknown writes (administrators see everybody's) and, for "
    "administrators, denied requests of the last seven days. At most four calls to the ERP, in the "
    "background lane; figures are kept for a minute and shared by all who may read the resource."
)


@define(eq=False, repr=False)
class HomeEndpoints:
    """Handler of the home page.

    Args:
        home: makes home pages.
        permissions: rights of web users.
    """

    _home: HomeService
    _permissions: Permissions

    async def get(self, request: Request) -> Response:
        """Answer the cards of the caller."""
        read_query(request)  # the endpoint takes no parameters
        web_user = session_of(request).user.name
        allows = partial(self._permissions.allows, web_user)
        return json_response(await self._home.read(web_user, allows, is_admin=is_admin_request(request)))

    def endpoints(self) -> list[Endpoint]:
        """Return the one endpoint."""
        return [
            Endpoint(
                "GET",
                "/api/home",
                self.get,
                access=Access.SESSION,
                summary="Figures of the home page",
                description=_DESCRIPTION,
                responses={200: Answer("The caller's cards", Body(Home))},
                errors=(InvalidQuery, StoreUnavailable),
            )
        ]

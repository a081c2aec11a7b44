"""`/api/partner-accounts`: open invoices of a business partner."""

from functools import partial
from typing import Final

from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.records.accounts.service import AccountService
from erp_gateway.records.accounts.shapes import PartnerAccount
from erp_gateway.records.proxy.client_headers import read_client_headers
from erp_gateway.records.proxy.client_request import ClientRequest
from erp_gateway.records.proxy.policy import ProxyPolicy
from erp_gateway.records.proxy.shapes import ANY_CALL
from erp_gateway.web.access import Access, Permissions, session_of
from erp_gateway.web.odata_errors import KeyBadValue
from erp_gateway.web.requests import upstream_calls
from servicekit.endpoint import Answer, Body, Endpoint, PathParam, json_response, path_param, read_query
from servicekit.erp.errors import RecordNotFound
from servicekit.errors import InvalidQuery, MethodNotAllowed

_PARTNERS: Final = "BusinessPartners"
_DESCRIPTION: Final = (
    "Balance, open invoices and credit notes by currency and age, in one call to the ERP. Needs the "
    "permission for reading the partner. Documents that the caller may not read are left out: `hasHidden` "
    "says that there are some. `openKnown` is false where the ERP does not say what is paid."
)


@define(eq=False, repr=False)
class AccountEndpoints:
    """Handler of partner accounts.

    Args:
        policy: rights to the partner.
        accounts: reads them.
        permissions: rights of web users.
    """

    _policy: ProxyPolicy
    _accounts: AccountService
    _permissions: Permissions

    async def get(self, request: Request) -> Response:
        """Answer the account of a partner."""
        allows = partial(self._permissions.allows, session_of(request).user.name)
        key = path_param(request, "key")
        plan = self._policy.plan_record(
            ClientRequest(
                name=_PARTNERS,
                key=key,
                query=b"",
                headers=read_client_headers(request.scope["headers"]),
                allows=allows,
            )
        )
        read_query(request)  # the endpoint takes no parameters
        may_read = partial(self._policy.may_read, allows=allows)
        with upstream_calls(request) as caller:
            return json_response(await self._accounts.read(plan, key, may_read, caller))

    def endpoints(self) -> list[Endpoint]:
        """Return the one endpoint."""
        return [
            Endpoint(
                "GET",
                "/api/partner-accounts/{key}",
                self.get,
                access=Access.PROXY,
                summary="Open items of a business partner",
                description=_DESCRIPTION,
                path_params={"key": PathParam("Code of the partner, percent-encoded", "C00001")},
                responses={200: Answer("The account", Body(PartnerAccount))},
                errors=(*ANY_CALL, KeyBadValue, InvalidQuery, MethodNotAllowed, RecordNotFound),
            )
        ]

"""`/api/flow`: the documents before and after a document."""

from functools import partial
from typing import Final

from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.records.flow.errors import NoFlow
from erp_gateway.records.flow.service import FlowService
from erp_gateway.records.flow.shapes import Flow
from erp_gateway.records.proxy.client_headers import read_client_headers
from erp_gateway.records.proxy.client_request import ClientRequest
from erp_gateway.records.proxy.policy import ProxyPolicy
from erp_gateway.records.proxy.shapes import ANY_CALL, RECORD_PARAMS
from erp_gateway.web.access import Access, Permissions, session_of
from erp_gateway.web.odata_errors import KeyBadValue
from erp_gateway.web.requests import note_resource, upstream_calls
from servicekit.endpoint import Answer, Body, Endpoint, json_response, path_param, read_query
from servicekit.erp.errors import RecordNotFound
from servicekit.errors import InvalidQuery, MethodNotAllowed

_PATH: Final = "/api/flow/{resource}/{key}"
_DESCRIPTION: Final = (
    "One step in each direction, in at most three calls to the ERP; ask again for a found document to go on. "
    "Bases come from the document's lines, following documents from the ERP's query service, payments from "
    "their rows. Needs the permission for reading the document. Documents that the caller may not read are "
    "left out: `hasHidden` says that there are some. `isComplete` is false where the ERP refused a read or "
    "there are more than 100 rows."
)


@define(eq=False, repr=False)
class FlowEndpoints:
    """Handler of flows.

    Args:
        policy: rights to the document.
        flows: reads them.
        permissions: rights of web users.
    """

    _policy: ProxyPolicy
    _flows: FlowService
    _permissions: Permissions

    async def get(self, request: Request) -> Response:
        """Answer the flow of a document."""
        allows = partial(self._permissions.allows, session_of(request).user.name)
        plan = self._policy.plan_record(
            ClientRequest(
                name=path_param(request, "resource"),
                key=path_param(request, "key"),
                query=b"",
                headers=read_client_headers(request.scope["headers"]),
                allows=allows,
            )
        )
        read_query(request)  # it takes no parameters
        note_resource(request, plan.target.resource.name)
        may_read = partial(self._policy.may_read, allows=allows)
        with upstream_calls(request) as caller:
            return json_response(await self._flows.read(plan, may_read, caller))

    def endpoints(self) -> list[Endpoint]:
        """Return the one endpoint."""
        return [
            Endpoint(
                "GET",
                _PATH,
                self.get,
                access=Access.PROXY,
                summary="Documents before and after a document",
                description=_DESCRIPTION,
                path_params=RECORD_PARAMS,
                responses={200: Answer("The document and both sides", Body(Flow))},
                errors=(*ANY_CALL, KeyBadValue, InvalidQuery, MethodNotAllowed, NoFlow, RecordNotFound),
            )
        ]

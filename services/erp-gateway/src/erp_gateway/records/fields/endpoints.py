"""`GET /api/fields`. It reads the ERP's metadata at most once per ERP session."""

from functools import partial
from typing import Final

from attrs import define, field
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.records.fields.description import Description
from erp_gateway.records.fields.service import FieldDescriptions
from erp_gateway.records.proxy.errors import ResourceNotRegistered
from erp_gateway.records.proxy.policy import ProxyPolicy
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web.access import Access, Permissions, session_of
from erp_gateway.web.requests import note_resource
from servicekit.endpoint import Answer, Body, Endpoint, PathParam, json_response, path_param, read_query
from servicekit.errors import InvalidQuery

_FIELDS: Final = "/api/fields/{resource}"
_DESCRIPTION: Final = (
    "For whoever may read or write records of it. Names and kinds are those of the ERP's `$metadata`, titles "
    "are the gateway's, those of user fields their definitions'. `currencies` has the code of the company's "
    "own currency and how many decimals amounts have. The ERP is asked once in each of its sessions. Fields "
    "that hold passwords are left out."
)


@define(eq=False, repr=False)
class FieldEndpoints:
    """Handler of field descriptions.

    Args:
        policy: access to resources.
        descriptions: of the fields.
        permissions: of web users.
    """

    _policy: ProxyPolicy
    _descriptions: FieldDescriptions
    _permissions: Permissions
    _written: dict[str, tuple[Description, bytes]] = field(factory=dict, init=False)

    async def get(self, request: Request) -> Response:
        """Respond with the fields of a resource."""
        allows = partial(self._permissions.allows, session_of(request).user.name)
        target = self._policy.find_usable(path_param(request, "resource"), allows)
        read_query(request)  # rejects any parameter
        note_resource(request, target.resource.name)
        described = await self._descriptions.of(target)
        cached, body = self._written.get(described.name, (None, b""))
        if cached is not described:
            body = bytes(json_response(described).body)
            self._written[described.name] = described, body
        return Response(body, media_type="application/json")

    def endpoints(self) -> list[Endpoint]:
        """Return the endpoint."""
        return [
            Endpoint(
                "GET",
                _FIELDS,
                self.get,
                access=Access.PROXY,
                summary="Fields of a resource",
                description=_DESCRIPTION,
                path_params={"resource": PathParam("A registered resource", "Orders")},
                responses={200: Answer("Its fields and collections", Body(Description))},
                errors=(ResourceNotRegistered, PermissionDenied, InvalidQuery),
            )
        ]

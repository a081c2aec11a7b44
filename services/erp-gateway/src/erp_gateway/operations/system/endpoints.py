"""`GET /api/system`: the state of the service, for administrators."""

from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.operations.system.service import SystemService
from erp_gateway.operations.system.shapes import SystemAnswer
from erp_gateway.web.access import Access
from servicekit.endpoint import Answer, Body, Endpoint, json_response


@define(eq=False, repr=False)
class SystemEndpoints:
    """Handler of the system's state.

    Args:
        service: the state.
    """

    _service: SystemService

    async def get_status(self, _request: Request) -> Response:
        """Answer the state at this moment."""
        return json_response(await self._service.get_status())

    def endpoints(self) -> list[Endpoint]:
        """Return the endpoint."""
        return [
            Endpoint(
                "GET",
                "/api/system",
                self.get_status,
                access=Access.ADMIN,
                summary="How the service is",
                description=(
                    "What its parts know of themselves at this moment: the ERP (its balancer is asked at "
                    "most once in 5 s), who waits in the queue and for how long, sessions, modules, and the "
                    "last requests that failed with a status from 500 on, newest first. New members may be "
                    "added."
                ),
                responses={200: Answer("The state at this moment.", Body(SystemAnswer))},
            ),
        ]

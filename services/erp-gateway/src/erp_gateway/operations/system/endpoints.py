"""`GET /api/system`: the state of the service, for administrators."""

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.operations.system.service import SystemService
from erp_gateway.operations.system.shapes import SystemAnswer
from erp_gateway.web.access import Access
from servicekit.endpoint import Answer, Body, Endpoint, json_response


def endpoints(service: SystemService) -> list[Endpoint]:
    """Declare the endpoints of this feature."""

    async def get_status(_request: Request) -> Response:
        return json_response(await service.get_status())

    return [
        Endpoint(
            "GET",
            "/api/system",
            get_status,
            access=Access.ADMIN,
            summary="How the service is",
            description=(
                "What its parts know of themselves at this moment: the ERP (its balancer is asked at most "
                "once in 5 s), who waits in the queue and for how long, sessions, modules, and the last "
                "requests that failed with a status from 500 on, newest first. New members may be added."
            ),
            responses={200: Answer("The state at this moment.", Body(SystemAnswer))},
        ),
    ]

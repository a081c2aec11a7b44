"""`GET /api/health`, public."""

from typing import Literal

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint, json_response
from supplier_returns.web.access import Access


@frozen(kw_only=True)
class HealthAnswer:
    """The process lives, and which version it is."""

    estado: Literal["ok"]
    version: str


class HealthEndpoints:
    """Handler of the health route.

    Args:
        version: version of the service.
    """

    def __init__(self, version: str) -> None:
        self._version = version

    async def process(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Answer that the process lives; asks nobody."""
        return json_response(HealthAnswer(estado="ok", version=self._version))

    def endpoints(self) -> list[Endpoint]:
        """Return the endpoint."""
        return [
            Endpoint(
                "GET",
                "/api/health",
                self.process,
                access=Access.PUBLIC,
                summary="Whether the process lives",
                tag="Health",
                responses={
                    200: Answer("It does", Body(HealthAnswer, {"estado": "ok", "version": self._version}))
                },
            )
        ]

"""Health routes: `GET /api/health` is public, `GET /api/health/erp` needs a session."""

from starlette.requests import Request
from starlette.responses import Response

from erpclient import BalancerWatch, Condition, HealthMonitor
from servicekit.endpoint import Answer, Body, Endpoint, json_response
from supplier_returns.health.shapes import ErpHealthAnswer, HealthAnswer
from supplier_returns.web.access import Access
from supplier_returns.web.erp_errors import ErpUnavailable, UpstreamUnreachable


class HealthEndpoints:
    """Routes of the service's health.

    Args:
        version: version of the service.
        erp: health of the ERP, observed in the calls of all sessions.
        balancer: checks the ERP's load balancer.
    """

    def __init__(self, version: str, erp: HealthMonitor, balancer: BalancerWatch) -> None:
        self._version = version
        self._erp = erp
        self._balancer = balancer

    async def process(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Answer GET /health without any further request."""
        return json_response(HealthAnswer(estado="ok", version=self._version))

    async def erp(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Answer GET /health/erp, at once if the ERP is known to be down.

        Raises:
            ErpUnavailable: the ERP is not available. `reason` says why.
        """
        self._check()
        # The check may take seconds, and calls of other users may find out meanwhile that the ERP is down.
        balancer = await self._balancer.check()
        self._check()
        if not balancer.is_alive:
            network_code = self._balancer.network_code
            end = "." if network_code is None else f" ({network_code})"
            members = {"reason": "unreachable", "ping": balancer.value}
            raise ErpUnavailable(f"{UpstreamUnreachable.detail}{end}", members=members)
        return json_response(ErpHealthAnswer(estado="ok", ping=balancer.value))

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints."""
        return [
            Endpoint(
                "GET",
                "/api/health",
                self.process,
                is_polled=True,
                access=Access.PUBLIC,
                summary="Check that the process is alive",
                responses={200: Answer("The process is alive.", Body(HealthAnswer))},
            ),
            Endpoint(
                "GET",
                "/api/health/erp",
                self.erp,
                is_polled=True,
                access=Access.SESSION,
                summary="Check that the ERP is available",
                description=(
                    "Checks the load balancer at most every 5 s, and never waits in a queue. A 503 has a "
                    "`reason`: `unwell` (several calls of any user and a probe got no reply), or "
                    "`unreachable`."
                ),
                responses={200: Answer("The ERP is available.", Body(ErpHealthAnswer))},
                errors=(ErpUnavailable,),
            ),
        ]

    def _check(self) -> None:
        if self._erp.condition is Condition.UNWELL:
            raise ErpUnavailable(members={"reason": Condition.UNWELL.value, "ping": "not_asked"})

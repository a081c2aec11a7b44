"""`GET /api/health`, public, and `GET /api/health/erp`, for people who are signed in."""

from starlette.requests import Request
from starlette.responses import Response

from erpclient import BalancerWatch, Condition, HealthMonitor
from servicekit.endpoint import Answer, Body, Endpoint, json_response
from supplier_returns.health.shapes import ErpHealthAnswer, HealthAnswer
from supplier_returns.web.access import Access
from supplier_returns.web.erp_errors import ErpUnavailable, UpstreamUnreachable


class HealthEndpoints:
    """Handlers of the health routes.

    Args:
        version: version of the service.
        erp: what the calls of all sessions found out.
        balancer: asks the ERP's balancer.
    """

    def __init__(self, version: str, erp: HealthMonitor, balancer: BalancerWatch) -> None:
        self._version = version
        self._erp = erp
        self._balancer = balancer

    async def process(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Answer that the process lives; asks nobody."""
        return json_response(HealthAnswer(estado="ok", version=self._version))

    async def erp(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Answer whether the ERP can be used; at once where it is known to give no answers.

        Raises:
            ErpUnavailable: it cannot; `reason` says why.
        """
        self._check()
        balancer = await self._balancer.check()
        self._check()
        if not balancer.is_alive:
            network_code = self._balancer.network_code
            end = "." if network_code is None else f" ({network_code})"
            members = {"reason": "unreachable", "ping": balancer.value}
            raise ErpUnavailable(f"{UpstreamUnreachable.detail}{end}", members=members)
        return json_response(ErpHealthAnswer(estado="ok", ping=balancer.value))

    def endpoints(self) -> list[Endpoint]:
        """Return both endpoints."""
        return [
            Endpoint(
                "GET",
                "/api/health",
                self.process,
                is_polled=True,
                access=Access.PUBLIC,
                summary="Whether the process lives",
                responses={200: Answer("It does", Body(HealthAnswer))},
            ),
            Endpoint(
                "GET",
                "/api/health/erp",
                self.erp,
                is_polled=True,
                access=Access.SESSION,
                summary="Whether the ERP can be used",
                description=(
                    "Asks the balancer at most once in 5 s; never waits in a queue. A 503 has a `reason`: "
                    "`unwell` (several calls, whoever's, and a probe got no answer) or `unreachable`."
                ),
                responses={200: Answer("It can", Body(ErpHealthAnswer))},
                errors=(ErpUnavailable,),
            ),
        ]

    def _check(self) -> None:
        if self._erp.condition is Condition.UNWELL:
            raise ErpUnavailable(members={"reason": Condition.UNWELL.value, "ping": "not_asked"})

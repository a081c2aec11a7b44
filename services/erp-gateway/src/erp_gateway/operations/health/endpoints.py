"""`GET /api/health` and `GET /api/health/erp`, both public."""

from typing import Final, Literal

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.operations.health.probe import ErpProbe, Reason
from erp_gateway.web.access import Access
from servicekit.endpoint import Answer, Body, Endpoint, json_response
from servicekit.erp.errors import ErpUnavailable

_SENTENCES: Final = {
    Reason.UNWELL: "El ERP no responde.",
    Reason.UNREACHABLE: "No se puede conectar con el ERP.",
    Reason.LOGIN_REFUSED: "El ERP no acepta el usuario del servicio.",
    Reason.USER_LOCKED: "El usuario del servicio está bloqueado en el ERP: desbloquéelo allí.",
    Reason.COMPANY_DIRECTORY: (
        "El directorio del sistema (SLD) no da la base de datos de la sociedad: revise ese servicio."
    ),
    Reason.COMPANY_UNKNOWN: "El ERP no tiene la sociedad configurada: revise ERP_SL_COMPANY_DB.",
    Reason.NO_LICENCE: "El usuario del servicio no tiene licencia en el ERP, o no quedan libres.",
}


@frozen(kw_only=True)
class Health:
    """The process is running; its version."""

    status: Literal["ok"]
    version: str


@frozen(kw_only=True)
class ErpHealthAnswer:
    """The ERP can be used: result of the ping, and state of the shared session."""

    status: Literal["ok"]
    ping: str
    session: str


class HealthEndpoints:
    """Handlers of the health routes.

    Args:
        probe: health of the ERP.
        version: version of the service.
    """

    def __init__(self, probe: ErpProbe, version: str) -> None:
        self._probe = probe
        self._version = version

    async def process(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Respond that the process is running. No other system is called."""
        return json_response(Health(status="ok", version=self._version))

    async def erp(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Respond whether the ERP can be used.

        Raises:
            ErpUnavailable: it can't be used; `reason` has the cause.
        """
        health = await self._probe.health()
        if health.reason is not None:
            members = {"reason": health.reason.value, "ping": health.ping, "session": health.session.value}
            raise ErpUnavailable(_SENTENCES[health.reason], members=members)
        return json_response(ErpHealthAnswer(status="ok", ping=health.ping, session=health.session.value))

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
                responses={200: Answer("It does", Body(Health))},
            ),
            Endpoint(
                "GET",
                "/api/health/erp",
                self.erp,
                is_polled=True,
                access=Access.PUBLIC,
                summary="Whether the ERP can be used",
                description=(
                    "Asks the balancer at most once in 5 s; never waits in the queue. A 503 "
                    "has a `reason`: `unwell` (several calls and a probe got no answer), `unreachable`, "
                    "or, until a login of the service succeeds, `login_refused`, `user_locked`, "
                    "`company_unknown`, `company_directory` or `no_licence`."
                ),
                responses={200: Answer("It can", Body(ErpHealthAnswer))},
                errors=(ErpUnavailable,),
            ),
        ]

"""Checks of one session: login, idle time and balancer."""

from collections.abc import Mapping
from typing import Final

from attrs import define, field

from erpclient import Credentials, ErpError
from erpclient.login_trouble import LoginTrouble, login_trouble
from erpdoctor.checks import Cause, Check, Figure, Finding, Group, ok, warn
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.login import SLOW_LOGIN_S
from erpdoctor.service_layer.timeouts import MOST_LOGIN_S

NO_PING: Final = warn(
    "no_ping",
    "El balanceador no contesta a /ping/: la salud del ERP se mide solo por sus respuestas.",
    english="`/ping/` does not respond, or something else does: a page is not a pong.",
    remedy="Permita en el intermediario (proxy) la ruta /ping/ hacia el Service Layer.",
    english_remedy="Let the proxy pass /ping/ to the Service Layer.",
)
NO_ROUTE: Final = warn(
    "no_route",
    "El balanceador no nombra el nodo (ROUTEID): con varios nodos pueden fallar las escrituras.",
    english="No `ROUTEID`. With several nodes, writes may fail.",
    remedy="Revise si un intermediario quita la cookie ROUTEID de las respuestas.",
    english_remedy="Check whether a proxy removes the cookie ROUTEID from responses.",
)


@define(eq=False, repr=False)
class SessionChecks:
    """Checks of one login.

    Args:
        context: of the run.
        group: to which the checks belong.
        who: the ERP user; None if not given.
        troubles: causes of failed logins, from `login_troubles`.
        slow: as `login_slow` returns it.
        short: the session ends too early.
        least_minutes: a session that ends earlier is short.
        personal: whether users log in with their own accounts; then version and minutes are reported too.
    """

    _context: CheckContext
    _group: Group
    _who: Credentials | None
    _troubles: Mapping[LoginTrouble, Cause] = field(kw_only=True)
    _slow: Cause = field(kw_only=True)
    _short: Cause = field(kw_only=True)
    _least_minutes: int = field(kw_only=True)
    _personal: bool = field(default=False, kw_only=True)

    def checks(self, *needs: str) -> tuple[Check, Check, Check]:
        """Return the checks of the login, which needs the network and these, of its end, of the balancer."""
        check = self._group.check
        return (
            check(
                "login",
                "Inicio de sesión",
                self._log_in,
                *self._troubles.values(),
                self._slow,
                needs=("network.answer", *needs),
                limit_s=MOST_LOGIN_S + 1,
                english="The account can log in.",
            ),
            check(
                "session",
                "Fin de la sesión sin uso",
                self._session,
                self._short,
                needs=("login",),
                english="Idle time after which the ERP ends a session.",
            ),
            check(
                "balancer",
                "Balanceador",
                self._balancer,
                NO_PING,
                NO_ROUTE,
                needs=("login",),
                limit_s=6,
                english="The load balancer names a node and answers `/ping/`.",
            ),
        )

    async def _log_in(self) -> Finding:
        if self._who is None:
            raise RuntimeError("nobody logs in")
        summary = f"usuario {self._who.user}, sociedad {self._who.company_db}"
        try:
            login = await self._context.inspection.log_in(self._who)
        except ErpError as error:
            trouble = login_trouble(error)
            self._context.refused = trouble in (LoginTrouble.REFUSED, LoginTrouble.USER_LOCKED)
            return self._troubles[trouble].found(summary)
        self._context.login = login
        figures: dict[str, Figure] = {"took_s": login.duration_s}
        if self._personal:
            figures["version"] = login.version if login.version.isdigit() else ""
        return (self._slow.found if login.duration_s > SLOW_LOGIN_S else ok)(summary, **figures)

    async def _session(self) -> Finding:
        minutes = None if self._context.login is None else self._context.login.timeout_minutes
        if minutes is None:
            return ok("no lo dice")
        own = {"own": self._least_minutes} if self._personal else {}
        return (self._short.found if minutes < self._least_minutes else ok)(minutes=minutes, **own)

    async def _balancer(self) -> Finding:
        if self._context.login is not None and not self._context.login.route:
            return NO_ROUTE.found()
        try:
            answer = await self._context.inspection.ping()
        except ErpError:
            return NO_PING.found()
        return ok(status=answer.status) if answer.pong else NO_PING.found(status=answer.status)

"""Signing in: the ERP says whether the password is right, once, and the password is forgotten."""

from collections.abc import Awaitable, Callable

import msgspec
import structlog
from attrs import frozen

from erpclient import Caller, Credentials, ErpClient, ErpError, ErpLoginRejected
from erpclient.odata import ListQuery, quote_string
from servicekit.config import Secret
from servicekit.tasks import finish
from servicekit.throttle import AttemptBlockedError, AttemptsCrowdedError, LoginThrottle
from supplier_returns.auth.errors import InvalidCredentials, LoginBusy, TooManyAttempts
from supplier_returns.auth.sessions import OpenedSession, WebSessionStore

_log = structlog.get_logger(__name__)


class _User(msgspec.Struct):
    code: str = msgspec.field(name="UserCode")
    name: str | None = msgspec.field(name="UserName", default=None)


@frozen
class ErpUser:
    """A user as the ERP spells them."""

    code: str
    name: str


class LoginService:
    """Lets people in with their ERP user, under the throttle.

    Args:
        company_db: the company database to log in to.
        open_client: makes a client for one person's session from their credentials.
        throttle: the brake on guessing.
        sessions: where web sessions are kept.
        prepare: reads in the new ERP session what would otherwise cost its first requests a call; raises
            nothing.
    """

    def __init__(
        self,
        *,
        company_db: str,
        open_client: Callable[[Credentials], ErpClient],
        throttle: LoginThrottle,
        sessions: WebSessionStore,
        prepare: Callable[[ErpClient, Caller], Awaitable[None]],
    ) -> None:
        self._company_db = company_db
        self._open_client = open_client
        self._throttle = throttle
        self._sessions = sessions
        self._prepare = prepare

    async def sign_in(self, user: str, password: Secret, *, address: str, caller: Caller) -> OpenedSession:
        """Let somebody in. An ERP that is away is no failed attempt.

        Args:
            user: ERP user code as typed.
            password: as typed; used for one login and kept nowhere.
            address: the client's IP address.
            caller: counts what it costs.

        Raises:
            InvalidCredentials: the ERP refused them.
            TooManyAttempts: too many failures; the ERP was not asked.
            LoginBusy: too many logins at once; the ERP was not asked.
            TooManySessions: no place for one more session; the ERP was not asked.
            ErpError: the ERP could not be asked.
        """
        try:
            async with self._throttle.attempt(user, address) as attempt:
                with self._sessions.place(user):
                    try:
                        opened = await self._open(user, password, caller)
                    except ErpLoginRejected as error:
                        attempt.failed()
                        raise InvalidCredentials from error
                    attempt.succeeded()
                    return opened
        except AttemptBlockedError as blocked:
            raise TooManyAttempts(retry_after_s=blocked.retry_after_s) from None
        except AttemptsCrowdedError:
            raise LoginBusy from None

    async def _open(self, user: str, password: Secret, caller: Caller) -> OpenedSession:
        client = self._open_client(Credentials(self._company_db, user, password.reveal()))
        try:
            await client.log_in()
            found = await _find_user(client, user, caller)
            await self._prepare(client, caller)
            return self._sessions.open(user_code=found.code, user_name=found.name, erp=client)
        except BaseException:
            await finish(client.aclose())
            raise


async def _find_user(client: ErpClient, typed: str, caller: Caller) -> ErpUser:
    """Ask who has signed in; where the ERP does not tell, the code as typed must do."""
    query = ListQuery(select=("UserCode", "UserName"), filter=f"UserCode eq {quote_string(typed)}", top=2)
    try:
        page = await client.list("Users", query, caller=caller)
        rows = msgspec.json.decode(page.rows, type=list[_User])
    except (ErpError, msgspec.DecodeError) as error:
        _log.info("user_name_unknown", reason=str(error))
        rows = []
    if len(rows) == 1:
        return ErpUser(rows[0].code, rows[0].name or rows[0].code)
    return ErpUser(typed, typed)

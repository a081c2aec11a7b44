"""Signing in: the ERP says whether the password is right, once, and the password is forgotten."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Final

import msgspec
import structlog
from attrs import define

from erpclient import Caller, Credentials, ErpClient, ErpError, ErpLoginRejected
from erpclient.login_trouble import LoginTrouble, login_trouble
from erpclient.odata import ListQuery, quote_string
from servicekit.config import Secret
from servicekit.erp.errors import InvalidCredentials, LoginBusy, TooManyAttempts
from servicekit.tasks import finish
from servicekit.throttle import AttemptBlockedError, AttemptsCrowdedError, BlockScope, LoginThrottle
from supplier_returns.web.audit_log import Action, Result, audit
from supplier_returns.web.session import OpenedSession, WebSessionStore

_log = structlog.get_logger(__name__)


class _User(msgspec.Struct):
    code: str = msgspec.field(name="UserCode")
    name: str | None = msgspec.field(name="UserName", default=None)
    superuser: str | None = msgspec.field(name="Superuser", default=None)

    @property
    def is_superuser(self) -> bool | None:
        return _YES_NO.get(self.superuser or "")


_YES_NO: Final = {"tYES": True, "tNO": False}


class LoginFailure(StrEnum):
    """Why somebody was not let in; the ERP does not tell whether user or password is wrong."""

    INVALID_CREDENTIALS = "invalid_credentials"
    USER_LOCKED = "user_locked"
    """Told in the log alone: nobody learns by trying which users there are."""
    THROTTLED = "throttled"


@define(eq=False, repr=False, kw_only=True)
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

    _company_db: str
    _open_client: Callable[[Credentials], ErpClient]
    _throttle: LoginThrottle
    _sessions: WebSessionStore
    _prepare: Callable[[ErpClient, Caller], Awaitable[None]]

    async def sign_in(self, user: str, password: Secret, *, address: str, caller: Caller) -> OpenedSession:
        """Let somebody in. An ERP that is away is no failed attempt. Logged, a block once.

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
                        _log_failure(user, address, _why(error))
                        raise InvalidCredentials from error
                    attempt.succeeded()
        except AttemptBlockedError as blocked:
            _log_block(blocked, user, address)
            raise TooManyAttempts(retry_after_s=blocked.retry_after_s) from None
        except AttemptsCrowdedError:
            raise LoginBusy from None
        audit(Action.LOGIN, Result.OK, user=opened.session.user_code, ip=address)
        return opened

    async def _open(self, user: str, password: Secret, caller: Caller) -> OpenedSession:
        client = self._open_client(Credentials(self._company_db, user, password.reveal()))
        try:
            await client.log_in()
            found = await _find_user(client, user, caller)
            await self._prepare(client, caller)
            return self._sessions.open(
                user_code=found.code,
                user_name=found.name or found.code,
                is_superuser=found.is_superuser,
                erp=client,
            )
        except BaseException:
            await finish(client.aclose())
            raise


def _why(error: ErpLoginRejected) -> LoginFailure:
    locked = login_trouble(error) is LoginTrouble.USER_LOCKED
    return LoginFailure.USER_LOCKED if locked else LoginFailure.INVALID_CREDENTIALS


def _log_failure(user: str | None, address: str, reason: LoginFailure) -> None:
    audit(Action.LOGIN_FAILED, Result.DENIED, user=user, ip=address, reason=reason.value)


def _log_block(blocked: AttemptBlockedError, user: str, address: str) -> None:
    """Log a block with the first attempt that it refuses: guesses must not fill the log."""
    blocked.block.attempts += 1
    if blocked.block.attempts == 1:
        _log_failure(user if blocked.scope is BlockScope.USER else None, address, LoginFailure.THROTTLED)


async def _find_user(client: ErpClient, typed: str, caller: Caller) -> _User:
    """Ask the ERP who has signed in; where it does not tell, what was typed must do."""
    select = ("UserCode", "UserName", "Superuser")
    query = ListQuery(select=select, filter=f"UserCode eq {quote_string(typed)}", top=2)
    try:
        page = await client.list("Users", query, caller=caller)
        rows = msgspec.json.decode(page.rows, type=list[_User])
    except (ErpError, msgspec.DecodeError) as error:
        _log.info("user_name_unknown", reason=str(error))
        rows = []
    return rows[0] if len(rows) == 1 else _User(typed)

"""Sign-in. The ERP checks the password once, and then the service discards it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from enum import StrEnum
from typing import Final

import msgspec
import structlog
from attrs import define, field

from erpclient import Caller, Credentials, ErpClient, ErpError, ErpLoginRejected
from erpclient.login_trouble import LoginTrouble, login_trouble
from erpclient.odata import ListQuery, quote_string
from servicekit.clock import Clock
from servicekit.config import Secret
from servicekit.erp.errors import InvalidCredentials, LoginBusy, TooManyAttempts
from servicekit.tasks import finish
from servicekit.throttle import (
    AttemptBlockedError,
    AttemptGate,
    AttemptsCrowdedError,
    BlockScope,
    key_of_user,
)
from supplier_returns.web.audit_log import Action, Result, audit
from supplier_returns.web.session_store import OpenedSession, WebSessionStore
from supplier_returns.web.user import ErpUser

_log = structlog.get_logger(__name__)


class _UserRow(msgspec.Struct):
    code: str = msgspec.field(name="UserCode")
    name: str | None = msgspec.field(name="UserName", default=None)
    superuser: str | None = msgspec.field(name="Superuser", default=None)


_YES_NO: Final = {"tYES": True, "tNO": False}


class LoginFailure(StrEnum):
    """Reason for a refused sign-in. The ERP does not show whether the user or the password is wrong."""

    INVALID_CREDENTIALS = "invalid_credentials"
    USER_LOCKED = "user_locked"
    """Only in the log, so that nobody can find out by trying which users exist."""
    THROTTLED = "throttled"
    DENIED_USER = "denied_user"
    """User in `SIGN_IN_DENIED_USERS`. The response is that of a wrong password."""


def _keys_of(users: Iterable[str]) -> frozenset[str]:
    return frozenset(map(key_of_user, users))


@define(eq=False, repr=False, kw_only=True)
class LoginService:
    """Signs in users with their ERP user, and limits failures.

    Args:
        company_db: company database to log in to.
        open_client: creates the ERP client of one session from its credentials.
        gate: limit on failures.
        denied_users: users that may not sign in. The ERP is not called for them.
        sessions: store of web sessions.
        prepare: reads values in the new ERP session that its first requests need. It raises nothing.
        clock: measures how long the ERP takes to refuse a login.
    """

    _company_db: str
    _open_client: Callable[[Credentials], ErpClient]
    _gate: AttemptGate
    _denied_users: frozenset[str] = field(converter=_keys_of)
    _sessions: WebSessionStore
    _prepare: Callable[[ErpClient, Caller], Awaitable[None]]
    _clock: Clock
    _last_refusal_s: float = field(default=0.0, init=False)

    async def sign_in(self, user: str, password: Secret, *, address: str, caller: Caller) -> OpenedSession:
        """Sign in a user and write an audit line. An unreachable ERP does not count as a failed attempt.

        Args:
            user: ERP user code as typed.
            password: password as typed. It is used for one login and stored nowhere.
            address: IP address of the client.
            caller: counts the cost of the calls.

        Raises:
            InvalidCredentials: the ERP refused the login, or the user may not sign in here.
            TooManyAttempts: there were too many failures, and the ERP was not called.
            LoginBusy: there are too many logins at once, and the ERP was not called.
            TooManySessions: the store of sessions is full, and the ERP was not called.
            ErpError: the request to the ERP failed.
        """
        try:
            async with self._gate.attempt(user, address) as attempt:
                # Reserve before the login, so that a full store costs no ERP call.
                with self._sessions.reserve(user):
                    try:
                        opened = await self._open(user, password, caller)
                    except InvalidCredentials as refused:
                        attempt.failed()
                        _log_failure(user, address, _failure_reason(refused))
                        raise
                    attempt.succeeded()
        except AttemptBlockedError as blocked:
            _log_block(blocked, user, address)
            raise TooManyAttempts(retry_after_s=blocked.retry_after_s) from None
        except AttemptsCrowdedError:
            raise LoginBusy from None
        audit(Action.LOGIN, Result.OK, user=opened.session.user.code, ip=address)
        return opened

    async def _open(self, user: str, password: Secret, caller: Caller) -> OpenedSession:
        if key_of_user(user) in self._denied_users:
            # An immediate response would reveal the names in the setting.
            await asyncio.sleep(self._last_refusal_s)
            raise InvalidCredentials
        client = self._open_client(Credentials(self._company_db, user, password.reveal()))
        try:
            await self._log_in(client)
            erp_user = await _find_user(client, user, caller)
            await self._prepare(client, caller)
            return self._sessions.open(erp_user, client)
        # Log out even if the request is cancelled, or the ERP session would stay open.
        except BaseException:
            await finish(client.aclose())
            raise

    async def _log_in(self, client: ErpClient) -> None:
        began_at = self._clock.monotonic()
        try:
            await client.log_in()
        except ErpLoginRejected as error:
            self._last_refusal_s = self._clock.monotonic() - began_at
            raise InvalidCredentials from error


def _failure_reason(refused: InvalidCredentials) -> LoginFailure:
    error = refused.__cause__
    if not isinstance(error, ErpLoginRejected):
        return LoginFailure.DENIED_USER
    locked = login_trouble(error) is LoginTrouble.USER_LOCKED
    return LoginFailure.USER_LOCKED if locked else LoginFailure.INVALID_CREDENTIALS


def _log_failure(user: str | None, address: str, reason: LoginFailure) -> None:
    audit(Action.LOGIN_FAILED, Result.DENIED, user=user, ip=address, reason=reason.value)


def _log_block(blocked: AttemptBlockedError, user: str, address: str) -> None:
    """Log a block at its first refused attempt. Further guesses must not fill the log."""
    blocked.block.attempts += 1
    if blocked.block.attempts == 1:
        _log_failure(user if blocked.scope is BlockScope.USER else None, address, LoginFailure.THROTTLED)


async def _find_user(client: ErpClient, typed: str, caller: Caller) -> ErpUser:
    """Read the user from the ERP. If that fails, use the typed name."""
    select = ("UserCode", "UserName", "Superuser")
    query = ListQuery(select=select, filter=f"UserCode eq {quote_string(typed)}", top=2)
    try:
        page = await client.list("Users", query, caller=caller)
        rows = msgspec.json.decode(page.rows, type=list[_UserRow])
    except (ErpError, msgspec.DecodeError) as error:
        _log.info("user_name_unknown", reason=str(error))
        rows = []
    # Two rows would be ambiguous, and none means that the user may not read users.
    if len(rows) != 1:
        return ErpUser(typed, typed)
    row = rows[0]
    return ErpUser(row.code, row.name or row.code, _YES_NO.get(row.superuser or ""))

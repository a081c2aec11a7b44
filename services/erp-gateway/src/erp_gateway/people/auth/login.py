"""Signing in: who is it, are they let in, and what is recorded."""

import asyncio
from contextlib import suppress
from weakref import WeakKeyDictionary

import structlog
from attrs import Factory, define, evolve, field, frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.people.auth.company import CompanyName
from erp_gateway.people.auth.directory import (
    Employee,
    EmployeeDirectory,
    LoginFailure,
    choose_employee,
    says_active,
)
from erp_gateway.people.auth.errors import SessionEndNotStored
from erp_gateway.people.auth.passwords import PasswordCheck, PasswordVerifier
from erp_gateway.people.auth.persistence.changes import SessionChanges
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.web.session import WebSession
from erpclient import Caller
from servicekit.config import Secret
from servicekit.erp.errors import InvalidCredentials, LoginBusy, TooManyAttempts
from servicekit.tasks import finish
from servicekit.throttle import (
    AttemptBlockedError,
    AttemptsCrowdedError,
    Block,
    BlockScope,
    LoginThrottle,
)

_log = structlog.get_logger(__name__)


@define(eq=False)
class _Record:
    """What of a block has been written; `lock` lets one write serve all attempts that came meanwhile.

    With `attempts` but without an `entry_id`, the store did not take the record in time, and it is owed.
    """

    lock: asyncio.Lock = Factory(asyncio.Lock)
    attempts: int = 0
    entry_id: int | None = None


class BlockRecords:
    """Writes a block's record with its first refused attempt and keeps the record's count current.

    A record that is owed keeps the count it has, and further attempts are in the log alone: a row for each
    would let anybody fill the recorder's memory while the store is away.
    """

    def __init__(self, recorder: AuditRecorder) -> None:
        self._recorder = recorder
        self._records: WeakKeyDictionary[Block, _Record] = WeakKeyDictionary()

    async def count_refused(self, block: Block, scope: BlockScope, *, actor: Actor) -> None:
        """Count one refused attempt; it is in the record, or in the log, when this returns. Never raises.

        Args:
            block: the block that refused it.
            scope: a user's block is recorded under the user's name, an address's under the address alone.
            actor: who tried.
        """
        block.attempts += 1
        record = self._records.setdefault(block, _Record())
        async with record.lock:
            if record.attempts == block.attempts:
                return
            attempts = block.attempts
            event = AuditEvent(
                action=AuditAction.LOGIN_FAILED,
                result=AuditResult.DENIED,
                actor=actor
                if scope is BlockScope.USER
                else Actor(web_user=None, ip=actor.ip, request_id=actor.request_id),
                detail=AuditDetail(attempts=attempts),
                reason=LoginFailure.THROTTLED.value,
            )
            if not record.attempts:
                record.entry_id = await self._recorder.record(event)
            elif record.entry_id is not None:
                await self._recorder.recount(record.entry_id, event)
            else:
                _log_unrecorded(event.actor, attempts)
            record.attempts = attempts


def _log_unrecorded(actor: Actor, attempts: int) -> None:
    with suppress(Exception):  # a console that is full or gone must not change the answer
        _log.warning(
            "refused_attempts_not_recorded",
            user=actor.web_user,
            ip=actor.ip,
            request_id=actor.request_id,
            attempts=attempts,
        )


@frozen(kw_only=True)
class SignedIn:
    """A login that succeeded: the token is shown once and kept nowhere."""

    token: str = field(repr=False)
    session: WebSession
    company_name: str


@define(eq=False, repr=False, kw_only=True)
class LoginService:
    """Checks credentials against the ERP's employees, under the throttle, and opens web sessions."""

    _directory: EmployeeDirectory
    _company: CompanyName
    _passwords: PasswordVerifier
    _throttle: LoginThrottle
    _changes: SessionChanges
    _blocks: BlockRecords = field(alias="recorder", converter=BlockRecords)

    async def sign_in(self, web_user: str, password: Secret, *, actor: Actor, caller: Caller) -> SignedIn:
        """Let somebody in.

        An ERP that is away is neither a failed attempt nor recorded as one. A refusal waits until its time
        does not tell what was wrong with the credentials.

        Args:
            web_user: the name as typed.
            password: as typed.
            actor: from where; its `web_user` is not looked at.
            caller: the queue's lane for people who are not signed in.

        Raises:
            InvalidCredentials: any reason for which these credentials do not let anybody in.
            TooManyAttempts: too many failures; nothing was asked of the ERP.
            LoginBusy: too many logins at once; nothing was asked of the ERP.
            EmployeeLookupRefused: the ERP does not let the service look.
            StoreUnavailable: the user has a session, and its end can't be written.
            ErpError: the ERP could not be asked.
        """
        actor = evolve(actor, web_user=web_user)
        try:
            async with self._throttle.attempt(web_user, actor.ip or "") as attempt:
                outcome, check = await self._check(web_user, password, caller)
                if isinstance(outcome, Employee):
                    attempt.succeeded()
                else:
                    attempt.failed()
        except AttemptBlockedError as blocked:
            await finish(self._blocks.count_refused(blocked.block, blocked.scope, actor=actor))
            raise TooManyAttempts(retry_after_s=blocked.retry_after_s) from None
        except AttemptsCrowdedError:
            raise LoginBusy from None
        if isinstance(outcome, LoginFailure):
            await self._changes.failed(
                AuditEvent(
                    action=AuditAction.LOGIN_FAILED,
                    result=AuditResult.DENIED,
                    actor=actor,
                    reason=outcome.value,
                ),
                web_user=web_user,
                address=actor.ip or "",
                is_active=says_active(outcome),
            )
            await self._passwords.wait_out(check)
            raise InvalidCredentials
        company_name = await self._company.get(caller)
        event = AuditEvent(action=AuditAction.LOGIN, result=AuditResult.OK, actor=actor)
        opened = await self._changes.open(outcome, event, address=actor.ip or "")
        return SignedIn(token=opened.token, session=opened.session, company_name=company_name)

    async def sign_out(self, session: WebSession, *, actor: Actor) -> None:
        """End the session. Audited.

        Raises:
            SessionEndNotStored: it is over, but a process that follows might still believe it.
        """
        event = AuditEvent(action=AuditAction.LOGOUT, result=AuditResult.OK, actor=actor)
        if not await self._changes.ended(session, event):
            raise SessionEndNotStored

    async def _check(
        self, web_user: str, password: Secret, caller: Caller
    ) -> tuple[Employee | LoginFailure, PasswordCheck]:
        """Do the same for everybody: one look-up and one password check."""
        candidates = await self._directory.find(web_user, caller)
        chosen = choose_employee(web_user, candidates)
        stored = chosen.stored_password if isinstance(chosen, Employee) else None
        check = await self._passwords.check(stored, password)
        if isinstance(chosen, Employee) and not check.matches:
            return LoginFailure.WRONG_PASSWORD, check
        return chosen, check

"""Sign people in and out."""

from attrs import define, evolve, field, frozen

from erp_gateway.people.auth.block_records import BlockRecords
from erp_gateway.people.auth.company import CompanyName
from erp_gateway.people.auth.directory import EmployeeDirectory
from erp_gateway.people.auth.employee_choice import (
    Employee,
    LoginFailure,
    choose_employee,
    has_active_employee,
)
from erp_gateway.people.auth.errors import SessionEndNotStored
from erp_gateway.people.auth.passwords import PasswordCheck, PasswordVerifier
from erp_gateway.people.auth.persistence.changes import SessionChanges
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erp_gateway.web.session import WebSession
from erpclient import Caller
from servicekit.config import Secret
from servicekit.erp.errors import InvalidCredentials, LoginBusy, TooManyAttempts
from servicekit.tasks import finish
from servicekit.throttle import (
    AttemptBlockedError,
    AttemptsCrowdedError,
    LoginThrottle,
)


@frozen(kw_only=True)
class SignedIn:
    """Result of a successful login; the token is shown once and never stored."""

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
        """Check the credentials and open a session.

        An unreachable ERP neither counts as a failed attempt nor is recorded as one. A rejection is delayed,
        so that its time does not reveal which part of the credentials was wrong.

        Args:
            web_user: the name as typed.
            password: as typed.
            actor: address and request; its `web_user` is replaced by the name as typed.
            caller: the shared lane of requests without a session.

        Raises:
            InvalidCredentials: the credentials are wrong, for whatever reason.
            TooManyAttempts: too many failures; no request was sent to the ERP.
            LoginBusy: too many logins at once; no request was sent to the ERP.
            EmployeeLookupRefused: the ERP does not allow the lookup.
            StoreUnavailable: the user has a session whose end can't be written.
            ErpError: the ERP did not answer the lookup.
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
            await self._changes.record_failure(
                AuditEvent(
                    action=AuditAction.LOGIN_FAILED,
                    result=AuditResult.DENIED,
                    actor=actor,
                    reason=outcome.value,
                ),
                web_user=web_user,
                address=actor.ip or "",
                is_active=has_active_employee(outcome),
            )
            await self._passwords.delay_rejection(check)
            raise InvalidCredentials
        company_name = await self._company.get(caller)
        event = AuditEvent(action=AuditAction.LOGIN, result=AuditResult.OK, actor=actor)
        opened = await self._changes.open(outcome, event, address=actor.ip or "")
        return SignedIn(token=opened.token, session=opened.session, company_name=company_name)

    async def sign_out(self, session: WebSession, *, actor: Actor) -> None:
        """End the session. Audited.

        Raises:
            SessionEndNotStored: the session has ended, but a restarted process might still accept it.
        """
        event = AuditEvent(action=AuditAction.LOGOUT, result=AuditResult.OK, actor=actor)
        if not await self._changes.end(session, event):
            raise SessionEndNotStored

    async def _check(
        self, web_user: str, password: Secret, caller: Caller
    ) -> tuple[Employee | LoginFailure, PasswordCheck]:
        """Do the same work for every name, known or not: one lookup and one password check."""
        candidates = await self._directory.find(web_user, caller)
        chosen = choose_employee(web_user, candidates)
        stored = chosen.stored_password if isinstance(chosen, Employee) else None
        check = await self._passwords.check(stored, password)
        if isinstance(chosen, Employee) and not check.matches:
            return LoginFailure.WRONG_PASSWORD, check
        return chosen, check

"""Plans the operations of a change set, each as if it came alone; one refusal refuses the set."""

import asyncio
from collections.abc import Sequence
from typing import Final, TypeAlias

from attrs import define, frozen

from erp_gateway.records.change_sets.errors import NotInChangeSet
from erp_gateway.records.change_sets.request import Operation
from erp_gateway.records.proxy.body.checker import BodyChecker, WriteTarget
from erp_gateway.records.proxy.client_headers import ClientHeaders
from erp_gateway.records.proxy.client_request import Allows, ClientRequest
from erp_gateway.records.proxy.declarations.resource import CANCEL_BY_DOCUMENT
from erp_gateway.records.proxy.errors import EtagUnsupported
from erp_gateway.records.proxy.plans import ActionPlan, CreatePlan, ModifyPlan, ServiceActionPlan
from erp_gateway.records.proxy.policy import ProxyPolicy
from erp_gateway.values.audit_event import SentFields
from erp_gateway.web.odata_errors import odata_service_error
from erpclient.odata import ODataError
from servicekit.errors import FieldProblem, MethodNotAllowed, ReportedProblems, ServiceError

WritePlan: TypeAlias = CreatePlan | ModifyPlan | ActionPlan

_ALONE_ONLY: Final = frozenset({CANCEL_BY_DOCUMENT})
"""Actions that post a new document. The answer of a change set cannot hold that document."""


@frozen
class PlannedOperation:
    """An operation that may be sent.

    Attributes:
        plan: the call.
        body: its body as received.
        fields: names of the body's fields, for the audit.
    """

    plan: WritePlan
    body: bytes
    fields: SentFields


@define(eq=False, repr=False)
class ChangeSetPlanner:
    """Plans change sets.

    Args:
        policy: turns requests into plans.
        bodies: checks bodies of writes.
    """

    _policy: ProxyPolicy
    _bodies: BodyChecker

    async def plan(self, operations: Sequence[Operation], allows: Allows) -> tuple[PlannedOperation, ...]:
        """Plan all operations of a change set.

        Raises:
            ServiceError: the refusal of the first operation that is refused, with its place.
        """
        planned = []
        for place, operation in enumerate(operations):
            try:
                planned.append(await self._plan(operation, allows))
            except ODataError as error:
                raise at_operation(odata_service_error(error), place) from error
            except ServiceError as refusal:
                raise at_operation(refusal, place) from None
            await asyncio.sleep(0)  # twenty checks in a row would hold up the event loop
        return tuple(planned)

    async def _plan(self, operation: Operation, allows: Allows) -> PlannedOperation:
        request = ClientRequest(
            name=operation.resource,
            key=operation.key,
            action=operation.action,
            query=b"",
            headers=ClientHeaders(),
            allows=allows,
        )
        plan = self._plan_call(operation, request)
        if operation.has_tag:
            raise EtagUnsupported("El ERP ignora ifMatch dentro de un conjunto: no protegería el registro.")
        checked = await self._bodies.check(operation.body, _target(plan))
        self._policy.check_references(request, checked.references)
        return PlannedOperation(plan, operation.body, checked.fields)

    def _plan_call(self, operation: Operation, request: ClientRequest) -> WritePlan:
        if operation.method == "PATCH":
            return self._policy.plan_modify(request)
        if operation.action:
            action = self._policy.plan_action(request)
            if action.action in _ALONE_ONLY:
                raise NotInChangeSet
            return action
        plan = self._policy.plan_post(request)
        if isinstance(plan, ServiceActionPlan):
            raise NotInChangeSet
        return plan


def _target(plan: WritePlan) -> WriteTarget:
    resource = plan.target.resource
    if isinstance(plan, CreatePlan):
        return WriteTarget(resource=resource)
    is_change = isinstance(plan, ModifyPlan)
    return WriteTarget(resource=resource, key=plan.key, is_change=is_change, optional=not is_change)


def at_operation(refusal: ServiceError, place: int) -> ServiceError:
    """Return the refusal of an operation as the refusal of its change set.

    Args:
        refusal: of the operation; its problems have paths within the operation's body.
        place: of the operation, from 0.
    """
    path = f"operations[{place}]"
    within = [
        FieldProblem(f"{path}.body.{each.path}" if each.path else f"{path}.body", each.message)
        for each in refusal.errors
    ]
    named = refusal.without_traceback()
    named.detail = f"Operación {place + 1}: {refusal.detail} No se realizó ninguna operación del conjunto."
    named.errors = ReportedProblems.of([FieldProblem(path, refusal.detail), *within])
    if isinstance(named, MethodNotAllowed):
        named.headers = {"Allow": "POST"}  # the methods of this path, not of the operation's resource
    return named

"""The refusal of an operation as that of its set."""

import pytest

from erp_gateway.records.change_sets.errors import NotInChangeSet
from erp_gateway.records.change_sets.planning import ChangeSetPlanner, at_operation
from erp_gateway.records.change_sets.request import Operation
from erp_gateway.records.proxy.body.checker import BodyChecker
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import READ_WRITE, Resource
from erp_gateway.records.proxy.plans import ActionPlan, CreatePlan, ModifyPlan
from erp_gateway.records.proxy.policy import ProxyPolicy
from erp_gateway.values.errors import PermissionDenied
from erpclient.odata import IntKey
from servicekit.errors import FieldProblem, InvalidBody, MethodNotAllowed

ACTIONS = frozenset({"Close", "Cancel", "Reopen", "CreateCancellationDocument"})
ORDERS = Resource(
    name="Orders",
    key=IntKey("DocEntry"),
    read_menu="/o",
    write_menu="/o/editar",
    methods=READ_WRITE,
    actions=ACTIONS,
)


@pytest.fixture
def planner() -> ChangeSetPlanner:
    registry = Registry([ORDERS], [])
    return ChangeSetPlanner(ProxyPolicy(registry), BodyChecker(registry.secret_body_fields))


def action(name: str) -> Operation:
    return Operation(method="POST", resource="Orders", key="7", action=name)


@pytest.mark.asyncio
async def test_every_declared_action_has_a_plan_except_the_one_that_posts_a_document(
    planner: ChangeSetPlanner,
) -> None:
    create = Operation(method="POST", resource="Orders", body=b"{}")
    change = Operation(method="PATCH", resource="Orders", key="7", body=b"{}")
    operations = [create, change, *map(action, sorted(ACTIONS - {"CreateCancellationDocument"}))]
    planned = await planner.plan(operations, lambda _: True)
    assert [type(each.plan) for each in planned] == [CreatePlan, ModifyPlan, *[ActionPlan] * 3]
    with pytest.raises(NotInChangeSet) as raised:
        await planner.plan([change, action("CreateCancellationDocument")], lambda _: True)
    assert raised.value.errors[0].path == "operations[1]"


@pytest.mark.asyncio
async def test_a_denial_keeps_what_the_audit_records(planner: ChangeSetPlanner) -> None:
    with pytest.raises(PermissionDenied) as raised:
        await planner.plan([action("Close")], lambda _: False)
    assert (raised.value.subject, raised.value.key) == ("Orders", "7")


def test_problems_within_a_body_follow_their_operation() -> None:
    refusal = InvalidBody(errors=[FieldProblem("", "a"), FieldProblem("Lines[0].Name", "b")])
    named = at_operation(refusal, 2)
    assert isinstance(named, InvalidBody)
    assert [(each.path, each.message) for each in named.errors] == [
        ("operations[2]", refusal.detail),
        ("operations[2].body", "a"),
        ("operations[2].body.Lines[0].Name", "b"),
    ]
    assert named.detail.startswith("Operación 3: ")
    assert len(refusal.errors) == 2


def test_the_allowed_methods_are_those_of_change_sets() -> None:
    assert at_operation(MethodNotAllowed(headers={"Allow": "GET, HEAD"}), 0).headers == {"Allow": "POST"}

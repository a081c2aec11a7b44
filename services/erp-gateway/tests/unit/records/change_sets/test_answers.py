"""Answers to change sets, and refusals by the ERP."""

import json
from typing import Any

import pytest

from erp_gateway.records.change_sets.answers import done_answer, failure_refusal
from erp_gateway.records.change_sets.planning import PlannedOperation, WritePlan
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.declarations.resource import READ_WRITE, Resource
from erp_gateway.records.proxy.plans import ActionPlan, CreatePlan, ModifyPlan
from erp_gateway.values.audit_event import SentFields
from erp_gateway.web.upstream_errors import MaybeInApproval, OutcomeUnknown, OutcomeUnknownTimeout
from erpclient import ErpRefused, ErpServerError, ErpTimeout, Phase, QueueFull
from erpclient.batch import ChangeSetNotSent, ChangeSetRefused, ChangeSetUnknown, OperationDone
from erpclient.odata import IntKey, StrKey
from servicekit.erp.errors import QueueIsFull, RecordNotFound, UpstreamConflict, UpstreamRejected
from servicekit.errors import ServiceError


def target(name: str, **more: Any) -> Registered:
    resource = Resource(
        name=name,
        read_menu=None,
        write_menu=None,
        methods=READ_WRITE,
        actions=frozenset({"Cancel"}),
        **{"key": IntKey("DocEntry"), **more},
    )
    (registered,) = Registry([resource], []).registered
    return registered


def planned(plan: WritePlan) -> PlannedOperation:
    return PlannedOperation(plan, b"{}", SentFields())


ITEMS = target("Items", key=StrKey("ItemCode"))
CREATE = planned(CreatePlan(ITEMS))
APPROVABLE = planned(CreatePlan(target("Orders", approvable=True)))
CHANGE = planned(ModifyPlan(ITEMS, "A", "('A')", None, False))
ACT = planned(ActionPlan(ITEMS, "A", "('A')", "Cancel", None))


def test_each_reply_has_its_status_place_tag_and_body() -> None:
    replies = [
        OperationDone(201, "Items('A%2F1')", 'W/"T"', b'{"ItemCode":"A/1","Price":1.10}'),
        OperationDone(204, None, None, b""),
        OperationDone(204, None, None, b""),
        OperationDone(200, None, None, b'{"value":1}'),
        OperationDone(204, None, None, b""),
    ]
    done = done_answer("01W", [CREATE, CHANGE, ACT, ACT, CREATE], replies)
    nothing = {"location": None, "etag": None, "body": None}
    assert b'"Price":1.10' in done.answer.body
    assert json.loads(done.answer.body) == {
        "changeSet": "01W",
        "operations": [
            {
                "status": 201,
                "location": "/api/sl/Items/A%2F1",
                "etag": 'W/"T"',
                "body": {"ItemCode": "A/1", "Price": 1.1},
            },
            {"status": 204, **nothing},
            {"status": 204, **nothing},
            {"status": 200, **nothing, "body": {"value": 1}},
            {"status": 201, **nothing},
        ],
    }
    assert done.keys == ("A/1", None, None, None, None)
    short = json.loads(done.answer.short_body)
    assert [each["body"] for each in short["operations"]] == [None] * 5
    assert short["operations"][0]["location"] == "/api/sl/Items/A%2F1"


NO_MATCH = ErpRefused(400, -2028, "no match")
MISSING = ErpRefused(404, -2028, "no match")
RULE = ErpRefused(400, -10, "closed")
CONFLICT = ErpRefused(409, -2, "conflict")


@pytest.mark.parametrize(
    ("operation", "error", "operations", "kind", "place"),
    [
        (1, MISSING, [CREATE, CHANGE], RecordNotFound, 1),
        (1, NO_MATCH, [CREATE, APPROVABLE], MaybeInApproval, 1),
        (0, NO_MATCH, [CREATE, APPROVABLE], UpstreamRejected, 0),
        (0, CONFLICT, [ACT], UpstreamConflict, 0),
        (None, RULE, [ACT], UpstreamRejected, 0),
        (None, MISSING, [CHANGE], RecordNotFound, 0),
        (None, MISSING, [CHANGE, CHANGE], RecordNotFound, None),
        (None, MISSING, [CHANGE, ACT], UpstreamRejected, None),
        (None, NO_MATCH, [CHANGE, APPROVABLE], MaybeInApproval, None),
        (None, RULE, [CHANGE, APPROVABLE], UpstreamRejected, None),
    ],
)
def test_a_refusal_follows_the_operation_that_the_erp_names(
    operation: int | None,
    error: ErpRefused,
    operations: list[PlannedOperation],
    kind: type[ServiceError],
    place: int | None,
) -> None:
    refusal = failure_refusal(ChangeSetRefused(operation, error), operations)
    assert type(refusal) is kind
    assert refusal.upstream is not None
    assert refusal.upstream.code == error.code
    if place is None:
        assert not refusal.errors
        assert "no indica cuál" in refusal.detail
    else:
        assert [each.path for each in refusal.errors] == [f"operations[{place}]"]
    assert "No se realizó ninguna operación del conjunto" in refusal.detail


def test_other_failures_have_the_same_refusal_as_those_of_a_write_alone() -> None:
    timeout, failed = ErpTimeout(Phase.ANSWER), ErpServerError(502, None, "")
    operations = [CREATE, CHANGE]
    assert type(failure_refusal(ChangeSetUnknown(timeout), operations)) is OutcomeUnknownTimeout
    assert type(failure_refusal(ChangeSetUnknown(failed), operations)) is OutcomeUnknown
    assert type(failure_refusal(ChangeSetNotSent(QueueFull("total")), operations)) is QueueIsFull

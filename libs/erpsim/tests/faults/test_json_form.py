"""Scripted trouble as JSON and back."""

from __future__ import annotations

from typing import Any

import pytest

from erpsim.faults import (
    Action,
    Answer,
    BadGateway,
    ChangeNode,
    CommitLate,
    CutAfterAnswer,
    Delay,
    Drip,
    Drop,
    ExpireSession,
    Fault,
    Garbage,
    GzipBomb,
    Hang,
    OmitRoute,
    Oversize,
    Refuse,
    Truncate,
    When,
)
from erpsim.faults.json_form import ACTIONS, FaultFormError, fault_from_json, fault_to_json

EVERY_ACTION: tuple[Action, ...] = (
    Delay(seconds=1.5),
    Drop(when=When.BEFORE_READING, reset=False),
    Refuse(status=400, code=-10, text="no"),
    Answer(status=503, body="down", when=When.AFTER_WORK),
    BadGateway(),
    Truncate(keep_bytes=3),
    Drip(chunk_bytes=1, interval_s=0.1),
    Hang(after_bytes=1, seconds=2.0),
    Garbage(),
    GzipBomb(unpacked_bytes=10),
    Oversize(size_bytes=10),
    CutAfterAnswer(),
    CommitLate(seconds=0.5),
    ExpireSession(everyone=True),
    ChangeNode(node=3),
    OmitRoute(),
)


@pytest.mark.parametrize("action", EVERY_ACTION, ids=lambda action: type(action).__name__)
def test_every_action_survives_json(action: Action) -> None:
    fault = Fault(action=action, method="POST", path="Orders", nth=2, times=None)
    assert fault_from_json(fault_to_json(fault)) == fault


def test_the_action_list_of_this_test_is_complete() -> None:
    assert {type(action) for action in EVERY_ACTION} == set(ACTIONS.values())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1, "the rule must be an object"),
        ({}, "`action` must be an object"),
        ({"action": {"kind": "explode"}}, "`action.kind` must be one of delay, drop"),
        ({"action": {"kind": ["drop"]}}, "`action.kind` must be one of"),
        ({"action": {"kind": "delay"}}, "seconds"),
        ({"action": {"kind": "delay", "seconds": "1"}}, "`seconds` must be float"),
        ({"action": {"kind": "delay", "seconds": True}}, "`seconds` must be float"),
        ({"action": {"kind": "drop", "when": "later"}}, "`when` must be one of before-reading"),
        ({"action": {"kind": "drop", "reset": 1}}, "`reset` must be bool"),
        ({"action": {"kind": "drop"}, "nht": 1}, "has no member nht"),
        ({"action": {"kind": "drop"}, "nth": 0}, "count from 1"),
        ({"action": {"kind": "drop"}, "times": "all"}, "`times` must be int or null"),
    ],
)
def test_an_invalid_rule_is_refused_with_its_path(value: Any, message: str) -> None:
    with pytest.raises(FaultFormError, match=message):
        fault_from_json(value)


def test_whole_seconds_are_accepted() -> None:
    assert fault_from_json({"action": {"kind": "delay", "seconds": 2}}).action == Delay(seconds=2.0)

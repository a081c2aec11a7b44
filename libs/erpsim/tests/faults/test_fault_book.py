"""Rules of scripted trouble, and their JSON."""

from __future__ import annotations

from typing import Any

import pytest

from erpsim.faults import (
    Action,
    Answer,
    BadGateway,
    ChangeNode,
    CutAfterAnswer,
    Delay,
    Drip,
    Drop,
    ExpireSession,
    Fault,
    FaultBook,
    Garbage,
    GzipBomb,
    Hang,
    OmitRoute,
    Oversize,
    Refuse,
    Truncate,
    When,
    company_unavailable,
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
    ExpireSession(everyone=True),
    ChangeNode(node=3),
    OmitRoute(),
)


@pytest.mark.parametrize(
    ("fault", "method", "path", "matches"),
    [
        (Fault(action=OmitRoute()), "GET", "Items", True),
        (Fault(action=OmitRoute(), method="POST"), "GET", "Items", False),
        (Fault(action=OmitRoute(), path="Items"), "GET", "Items('a')", False),
        (Fault(action=OmitRoute(), path="Items*"), "GET", "Items('a')", True),
        (Fault(action=OmitRoute(), path="Orders(*)/Cancel"), "POST", "Orders(12)/Cancel", True),
        (Fault(action=OmitRoute(), path="orders"), "GET", "Orders", False),
    ],
)
def test_a_rule_matches_by_method_and_path(fault: Fault, method: str, path: str, matches: bool) -> None:
    assert fault.matches(method, path) is matches


def test_a_rule_counts_only_calls_that_match() -> None:
    book = FaultBook()
    book.add(Fault(action=Delay(seconds=1), method="GET", path="Items", nth=2, times=2))
    met = [bool(book.take(method, "Items")) for method in ("GET", "POST", "GET", "GET", "GET", "GET")]
    assert met == [False, False, True, True, False, False]
    assert len(book) == 0


def test_a_rule_without_an_end_stays() -> None:
    book = FaultBook()
    number = book.add(Fault(action=Delay(seconds=1), times=None))
    assert all(book.take("GET", "x") for _ in range(50))
    assert [n for n, _ in book] == [number]
    assert book.remove(number)
    assert not book.remove(number)
    assert book.take("GET", "x") == []


def test_several_rules_meet_one_call_in_their_order() -> None:
    book = FaultBook()
    book.add(Fault(action=Delay(seconds=1)))
    book.add(Fault(action=Drop()))
    assert book.take("GET", "x") == [Delay(seconds=1), Drop()]


def test_clearing_removes_all_rules() -> None:
    book = FaultBook()
    book.add(company_unavailable(times=3))
    book.clear()
    assert len(book) == 0


@pytest.mark.parametrize(("nth", "times"), [(0, 1), (1, 0), (-1, None)])
def test_counts_start_at_one(nth: int, times: int | None) -> None:
    with pytest.raises(ValueError, match="count from 1"):
        Fault(action=Drop(), nth=nth, times=times)


@pytest.mark.parametrize("action", EVERY_ACTION, ids=lambda action: type(action).__name__)
def test_every_action_survives_json(action: Action) -> None:
    fault = Fault(action=action, method="POST", path="Orders", nth=2, times=None)
    assert fault_from_json(fault_to_json(fault)) == fault


def test_the_list_above_holds_every_action() -> None:
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
def test_a_wrong_form_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(FaultFormError, match=message):
        fault_from_json(value)


def test_whole_seconds_are_seconds_too() -> None:
    assert fault_from_json({"action": {"kind": "delay", "seconds": 2}}).action == Delay(seconds=2.0)

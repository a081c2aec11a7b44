"""Each invariant holds on a history that keeps it, and names what breaks it."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from soak import judges
from soak.judges import JUDGES, judge
from soak.values import (
    Change,
    Create,
    Document,
    Evidence,
    Order,
    Outcome,
    Plan,
    Planning,
    Record,
    Recovery,
    Return,
    Row,
    Sample,
    outcome_of,
)

MADE, NOT_MADE, UNKNOWN = Outcome.MADE, Outcome.NOT_MADE, Outcome.UNKNOWN
PIECES = ((7, 0, Decimal(2)),)


def good() -> Evidence:
    """Ana made one order and lost the answer to another, was refused a third; Bea planned and executed."""
    return Evidence(
        traced=True,
        creates=[
            Create("ana", "~1", keyed=True, tries=[UNKNOWN, MADE], entry=1),
            Create("ana", "~2", keyed=False, tries=[UNKNOWN]),
            Create("ana", "~3", keyed=False, tries=[NOT_MADE]),
            Create("ana", "~4", keyed=False, tries=[UNKNOWN]),
        ],
        changes=[
            Change("ana", 1, "a", MADE),
            Change("ana", 1, "b", UNKNOWN),
            Change("ana", 1, "c", NOT_MADE),
        ],
        orders=[Order(1, "~1", "a", "W1"), Order(2, "~2", "~2", "W2")],
        rows=[
            Row("W1", "create", "ana", "Orders", "done", "1"),
            Row("W2", "create", "ana", "Orders", "done", "2"),
            Row("W3", "create", "ana", "Orders", "refused", None),
            Row("W4", "create", "ana", "Orders", "not_done", None),
            Row("W5", "update", "ana", "Orders", "unknown", "1"),
        ],
        records=[
            Record("ana", "sl_create", "Orders", "1", "ok", None),
            Record("ana", "sl_update", "Orders", "1", "ok", None),
            Record("ana", "sl_create", "Orders", None, "unknown", "W2"),
            Record("lookup", "write_settled", "Orders", "2", "ok", "W2"),
        ],
        plans=[
            Plan("bea", "~p1", MADE, number=5, seen_made={9}),
            Plan("bea", "~p2", NOT_MADE),
            Plan("bea", "~p3", UNKNOWN),
            Plan("bea", "~p4", MADE, number=6, closing=MADE),
        ],
        plannings=[
            Planning(5, "~p1", "ejecutada", "bea", (Document(1, "creado", 9, PIECES),)),
            Planning(6, "~p4", "cerrada", "bea", (Document(1, "omitido", None, PIECES),)),
        ],
        returns=[Return(9, 5, "ODEV-5-1-0", PIECES)],
        samples=[Sample("gateway", 1, 10.0 * n, 100 << 20, 50, 10) for n in range(40)],
        sessions=[3, 5, 13, 4, 9, 13],
        recoveries=[Recovery("SIGKILL", "gateway", 2.0)],
        health_worst_s=0.5,
        answers=[(200, "", 900), (502, "outcome_unknown", 3), (500, "interrupted", 1)],
    )


BROKEN: dict[str, list[tuple[Any, dict[str, Any]]]] = {
    "seen_made_exists_once": [
        ("the order is gone", {"orders": good().orders[1:]}),
        ("it is another", {"orders": [Order(3, "~1", "a", "W1"), good().orders[1]]}),
        ("the planning is gone", {"plannings": []}),
        ("the return is gone", {"returns": []}),
    ],
    "not_made_does_not_exist": [
        ("a refused order", {"orders": [*good().orders, Order(3, "~3", "~3", "W3")]}),
        ("a refused planning", {"plannings": [*good().plannings, Planning(8, "~p2", "cerrada", "bea", ())]}),
    ],
    "nothing_twice": [
        ("two orders", {"orders": [*good().orders, Order(3, "~2", "~2", "W9")]}),
        ("one number twice", {"orders": [*good().orders, Order(3, "~4", "~4", "W2")]}),
        ("nobody's", {"orders": [*good().orders, Order(3, "~x", "~x", "W9")]}),
        ("two returns of a key", {"returns": [*good().returns, Return(10, 5, "ODEV-5-1-0", PIECES)]}),
        ("two plannings", {"plannings": [*good().plannings, Planning(8, "~p1", "cerrada", "bea", ())]}),
    ],
    "changes_are_as_told": [
        ("a refused value", {"orders": [Order(1, "~1", "c", "W1"), good().orders[1]]}),
        ("the first value again", {"orders": [Order(1, "~1", "~1", "W1"), good().orders[1]]}),
    ],
    "documents_have_records": [
        ("no record", {"records": good().records[1:]}),
        ("another's", {"records": [replace(good().records[0], who="eva"), *good().records[1:]]}),
        ("looked up for another", {"records": [one for one in good().records if one.result == "ok"]}),
        ("a change", {"records": [one for one in good().records if one.action != "sl_update"]}),
    ],
    "rows_agree": [
        ("no row", {"rows": good().rows[1:]}),
        ("another's row", {"rows": [replace(good().rows[0], who="eva"), *good().rows[1:]]}),
        ("done, and not there", {"rows": [*good().rows, Row("W8", "create", "ana", "Orders", "done", "8")]}),
    ],
    "unknown_ones_settled": [
        ("unknown", {"rows": [Row("W4", "create", "ana", "Orders", "unknown", None)]}),
        ("open", {"rows": [Row("W4", "update", "ana", "Orders", "open", None)]}),
    ],
    "plannings_and_returns_agree": [
        ("not at its end", {"plannings": [replace(good().plannings[0], state="con_errores")]}),
        ("a return too many", {"returns": [*good().returns, Return(10, 5, "k", PIECES)]}),
        ("of no planning", {"returns": [*good().returns, Return(10, 77, "k", PIECES)]}),
        ("another quantity", {"returns": [Return(9, 5, "k", ((7, 0, Decimal(1)),))]}),
        ("another's", {"plannings": [replace(good().plannings[0], user="eva"), good().plannings[1]]}),
        ("nobody's planning", {"plannings": [*good().plannings, Planning(8, "~x", "cerrada", "eva", ())]}),
        ("closed and open", {"plannings": [good().plannings[0], Planning(6, "~p4", "ejecutada", "bea", ())]}),
    ],
    "chain_verifies": [("broken", {"chain": "record 3 was changed"})],
    "no_500": [("a crash", {"answers": [(500, "internal_error", 1)]})],
    "no_unexpected_line": [("a trace", {"log_lines": ["Traceback"]})],
    "services_end": [("killed", {"ends": ["gateway ended with None"]})],
    "processes_stay_flat": [
        (
            what,
            {"samples": [replace(one, **{what: getattr(one, what) * (1 + n // 15)}) for n, one in numbered]},
        )
        for numbered in [list(enumerate(good().samples))]
        for what in ("memory", "descriptors", "threads")
    ],
    "sessions_stay_few": [("many", {"sessions": [3, 4, 4 + judges.MORE_SESSIONS]})],
    "recovers": [
        ("never", {"recoveries": [Recovery("SIGKILL", "gateway", None)]}),
        ("late", {"recoveries": [Recovery("SIGKILL", "gateway", judges.RECOVERY_S + 1)]}),
    ],
    "health_answers": [("slow", {"health_worst_s": judges.HEALTH_S + 1})],
}


def test_a_correct_history_violates_no_invariant() -> None:
    assert [faults for _, faults in judge(good()) if faults] == []


def test_each_judge_is_tried() -> None:
    assert {check.__name__ for _, check in JUDGES} == BROKEN.keys()


@pytest.mark.parametrize(
    ("name", "change"),
    [pytest.param(name, change, id=f"{name}: {what}") for name in BROKEN for what, change in BROKEN[name]],
)
def test_a_broken_history_is_named(name: str, change: dict[str, Any]) -> None:
    assert list(getattr(judges, name)(replace(good(), **change)))


@pytest.mark.parametrize(
    ("message", "is_told"),
    [("", False), ("El plan cambió: compárela con lo planificado.", True), ("Revísela.", True)],
)
def test_a_document_may_differ_from_its_return_where_it_says_so(message: str, *, is_told: bool) -> None:
    other = Document(1, "creado", 9, ((7, 0, Decimal(1)),), message)
    plannings = [replace(good().plannings[0], documents=(other,)), good().plannings[1]]
    faults = list(judges.plannings_and_returns_agree(replace(good(), plannings=plannings)))
    assert (not faults) is is_told


def test_on_defaults_an_unknown_create_may_stay_so_and_stands_for_its_order() -> None:
    settled = [one for one in good().records if one.action != "write_settled"]
    known = [one for one in settled if one.result == "ok"]
    rows = [replace(row, state="unknown", key=None) if row.number == "W2" else row for row in good().rows]
    orders = [replace(one, trace="") for one in good().orders]
    observed = replace(good(), traced=False, records=settled, rows=rows, orders=orders)
    assert [faults for _, faults in judge(observed) if faults] == []
    assert list(judges.documents_have_records(replace(observed, records=known)))


def test_only_documented_cases_leave_it_open() -> None:
    result = [(None, None), (201, None), (502, "outcome_unknown"), (502, None), (502, "upstream_failed")]
    assert [outcome_of(*one) for one in result] == [UNKNOWN, MADE, UNKNOWN, UNKNOWN, NOT_MADE]
    assert outcome_of(500, "interrupted") is UNKNOWN
    assert outcome_of(409, "first_outcome_unknown") is UNKNOWN
    assert outcome_of(503, "ledger_unavailable") is NOT_MADE

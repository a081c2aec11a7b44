"""Rules of scripted trouble."""

from __future__ import annotations

import pytest

from erpsim.faults import (
    Delay,
    Drop,
    Fault,
    FaultBook,
    OmitRoute,
    company_unavailable,
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


def test_a_rule_counts_only_matching_calls() -> None:
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


def test_several_rules_apply_to_one_call_in_order() -> None:
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
def test_fault_counts_start_at_one(nth: int, times: int | None) -> None:
    with pytest.raises(ValueError, match="count from 1"):
        Fault(action=Drop(), nth=nth, times=times)

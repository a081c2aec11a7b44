"""Comparison of a document with current stock, receipts and prices."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from plannings import item, part, receipt

from supplier_returns.execution.rules.failures import ErrorClass
from supplier_returns.execution.rules.recheck import Holdings, Taken, find_problem
from supplier_returns.planning.model.warehouse import DateRange

DAY = date(2026, 3, 4)


def test_the_whole_stock_can_be_returned() -> None:
    holdings = Holdings.of([item("A", 4)], [receipt(open_document=Decimal(4))])
    assert find_problem([part(4)], holdings, Taken(), return_date=DAY) is None


def test_a_smaller_open_quantity_is_a_base_problem() -> None:
    holdings = Holdings.of([item("A", 10)], [receipt(open_document=Decimal(3))])
    problem = find_problem([part(2), part(2)], holdings, Taken(), return_date=DAY)
    assert problem is not None
    assert problem.error_class is ErrorClass.BASE
    assert problem.message == "De A en la recepción 5010 se devuelven 4 y solo quedan 3 abiertas."


def test_a_closed_receipt_is_a_base_problem() -> None:
    problem = find_problem([part(2)], Holdings.of([item()], []), Taken(), return_date=DAY)
    assert problem is not None
    assert problem.message == "De A en la recepción 5010 se devuelven 2 y ya no queda nada abierto."


def test_a_document_without_lines_is_never_posted() -> None:
    problem = find_problem([], Holdings.of([], []), Taken(), return_date=DAY)
    assert problem is not None
    assert (problem.error_class, problem.message) == (ErrorClass.BASE, "El documento no tiene artículos.")


def test_another_price_is_a_base_problem() -> None:
    holdings = Holdings.of([item()], [receipt(price=Decimal("1250.5"))])
    problem = find_problem(
        [part(2, price=Decimal(1200)), part(1, price=Decimal(1200))], holdings, Taken(), return_date=DAY
    )
    assert problem is not None
    assert problem.error_class is ErrorClass.BASE
    assert problem.message == "De A en la recepción 5010 el precio era 1200 y ahora es 1250,5."


@pytest.mark.parametrize(
    ("recorded", "price", "decimals"),
    [
        ("1250.123457", "1250.1234567", 6),
        ("1250.1235", "1250.1234567", 4),
        ("1250.12", "1250.1234567", None),
        ("1250.12", "1250.1234567", 6),
        ("1250.1", "1250.1234567", 1),
        ("1250", "1250.1234567", 0),
        ("1250", "1250.1234567", -1),
    ],
)
def test_a_price_rounded_by_the_record_is_the_same(recorded: str, price: str, decimals: int | None) -> None:
    holdings = Holdings.of([item()], [receipt(price=Decimal(price))], price_decimals=decimals)
    assert find_problem([part(2, price=Decimal(recorded))], holdings, Taken(), return_date=DAY) is None


@pytest.mark.parametrize(
    ("recorded", "price", "decimals"), [("2", "2.4", 2), ("1.5", "1.54", 4), ("2", "2.4", None)]
)
def test_a_changed_small_price_is_not_a_rounded_one(recorded: str, price: str, decimals: int | None) -> None:
    holdings = Holdings.of([item()], [receipt(price=Decimal(price))], price_decimals=decimals)
    problem = find_problem([part(2, price=Decimal(recorded))], holdings, Taken(), return_date=DAY)
    assert problem is not None
    assert problem.error_class is ErrorClass.BASE


def test_less_stock_is_a_stock_problem_and_includes_earlier_documents() -> None:
    holdings = Holdings.of([item("A", 5)], [receipt(open_document=Decimal(10))])
    taken = Taken()
    assert find_problem([part(3)], holdings, taken, return_date=DAY) is None
    taken.add([part(3)])
    problem = find_problem([part(3)], holdings, taken, return_date=DAY)
    assert problem is not None
    assert (problem.error_class, problem.message) == (
        ErrorClass.STOCK,
        "De A se devuelven 3 y en la bodega hay 2.",
    )


def test_an_unknown_item_has_no_stock_and_an_inactive_item_is_reported_first() -> None:
    receipts = [receipt()]
    problem = find_problem([part(1)], Holdings.of([], receipts), Taken(), return_date=DAY)
    assert problem is not None
    assert problem.message.endswith("hay 0.")
    frozen = item("A", 0, frozen=DateRange())
    problem = find_problem([part(1)], Holdings.of([frozen], receipts), Taken(), return_date=DAY)
    assert problem is not None
    assert (problem.error_class, problem.message) == (
        ErrorClass.MASTER_DATA,
        "El artículo A está inactivo en la fecha de la devolución.",
    )


@pytest.mark.parametrize(
    ("days", "is_frozen_then", "is_valid_then"),
    [
        (None, False, True),
        (DateRange(), True, True),
        (DateRange(first=DAY, last=DAY), True, True),
        (DateRange(last=DAY - timedelta(days=1)), False, False),
        (DateRange(first=DAY + timedelta(days=1)), False, False),
    ],
)
def test_an_item_is_inactive_on_the_dates_in_the_erp(
    days: DateRange | None, is_frozen_then: bool, is_valid_then: bool
) -> None:
    for row, may_go in ((item(frozen=days), not is_frozen_then), (item(valid=days), is_valid_then)):
        problem = find_problem([part(1)], Holdings.of([row], [receipt()]), Taken(), return_date=DAY)
        assert (problem is None) is may_go


def test_a_long_list_of_reasons_is_cut() -> None:
    parts = [part(1, entry=500 + number, item=f"I{number}") for number in range(5)]
    problem = find_problem(parts, Holdings.of([], []), Taken(), return_date=DAY)
    assert problem is not None
    assert problem.message.endswith("Y 2 más.")
    assert problem.message.count("recepción") == 3

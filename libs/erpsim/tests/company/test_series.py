"""Numbering series."""

from __future__ import annotations

import pytest

from erpsim.company.exchange import Fields
from erpsim.desk import Desk
from erpsim.seeds.settings import primary_series

_UNUSABLE = "To generate this document, first define the numbering series"


@pytest.fixture
def body(desk: Desk, supplier: str, item: str) -> Fields:
    """A return in the series that users choose beside the first one."""
    bought = {"ItemCode": item, "Quantity": 9}
    receipt = desk.create("PurchaseDeliveryNotes", {"CardCode": supplier, "DocumentLines": [bought]})
    drawn = {"BaseType": 20, "BaseEntry": receipt["DocEntry"], "BaseLine": 0, "Quantity": 1}
    return {"CardCode": supplier, "Series": _series(desk, "21", "Web"), "DocumentLines": [drawn]}


def _series(desk: Desk, document: str, name: str) -> int:
    found = desk.service("SeriesService_GetDocumentSeries", {"DocumentTypeParams": {"Document": document}})
    assert isinstance(found, list)
    row = next(row for row in found if isinstance(row, dict) and row["Name"] == name)
    assert isinstance(row["Series"], int)
    return row["Series"]


@pytest.mark.parametrize("change", [{"Locked": "tYES"}, {"LastNumber": 900000}])
def test_a_locked_or_used_up_series_gives_no_number(desk: Desk, body: Fields, change: Fields) -> None:
    desk.service("SeriesService_UpdateSeries", {"Series": {"Series": body["Series"], **change}})
    refusal = desk.refusal(desk.create, "PurchaseReturns", body)
    assert (refusal.status, refusal.code) == (400, -10)
    assert refusal.text.startswith(_UNUSABLE)
    desk.create("PurchaseReturns", {**body, "Series": None})


def test_the_last_number_of_a_series_is_used(desk: Desk, body: Fields) -> None:
    desk.service("SeriesService_UpdateSeries", {"Series": {"Series": body["Series"], "LastNumber": 900001}})
    assert desk.create("PurchaseReturns", body)["DocNum"] == 900001
    assert desk.refusal(desk.create, "PurchaseReturns", body).text.startswith(_UNUSABLE)


@pytest.mark.parametrize("wrong", [9999, primary_series(17)], ids=["unknown", "of orders"])
def test_a_wrong_series_is_a_code_that_does_not_exist(desk: Desk, body: Fields, wrong: int) -> None:
    assert desk.refusal(desk.create, "PurchaseReturns", {**body, "Series": wrong}).code == -2028
    assert (
        desk.refusal(desk.service, "SeriesService_UpdateSeries", {"Series": {"Series": 9999}}).code == -2028
    )


def test_an_object_without_a_series_gets_no_number(desk: Desk) -> None:
    company = desk.world.company
    with company.transaction():
        company.database.put("$Series", (primary_series(17),), None)
        company.database.put("$Series", (80,), None)
    body = {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1"}]}
    assert desk.refusal(desk.create, "Orders", body).text.startswith(_UNUSABLE)


def test_an_update_moves_no_series_to_another_object(desk: Desk, body: Fields) -> None:
    desk.service("SeriesService_UpdateSeries", {"Series": {"Series": body["Series"], "Document": "17"}})
    desk.create("PurchaseReturns", body)

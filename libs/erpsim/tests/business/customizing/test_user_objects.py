"""Document objects: their fields, rows and states; fences in change sets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from erpsim.company.exchange import Fields, Value
from erpsim.desk import Desk

BODY = {"U_Whs": "01", "PLAN1Collection": [{"U_Item": "A", "U_Qty": 1}, {"U_Item": "B", "U_Qty": 2}]}


def items(desk: Desk, entry: int = 1) -> list[tuple[Value, Value]]:
    rows = desk.read("PLAN", entry)["PLAN1Collection"]
    assert isinstance(rows, list)
    return [(row["LineId"], row["U_Item"]) for row in rows if isinstance(row, dict)]


@pytest.fixture
def stored(plan: Desk) -> Fields:
    return plan.create("PLAN", BODY)


def test_a_new_object_has_the_fields_of_real_ones(stored: Fields) -> None:
    names = list(stored)
    assert names[:10] == [
        "DocNum", "Period", "Instance", "Series", "Handwrtten", "Status", "RequestStatus", "Creator",
        "Remark", "DocEntry",
    ]  # fmt: skip
    shown = {name: stored[name] for name in ("DocEntry", "DocNum", "Status", "Canceled", "Object", "Creator")}
    assert shown == {
        "DocEntry": 1,
        "DocNum": 1,
        "Status": "O",
        "Canceled": "N",
        "Object": "PLAN",
        "Creator": "manager",
    }
    assert (stored["U_State"], stored["U_Day"], stored["CreateTime"]) == ("P", None, "12:34:00")
    rows = stored["PLAN1Collection"]
    assert isinstance(rows, list)
    assert rows[1] == {
        "DocEntry": 1,
        "LineId": 2,
        "VisOrder": 1,
        "Object": "PLAN",
        "LogInst": None,
        "U_Item": "B",
        "U_Qty": 2,
    }


def test_the_system_keeps_its_own_fields_when_they_are_sent(plan: Desk) -> None:
    made = plan.create("PLAN", {**BODY, "Status": "C", "Canceled": "Y", "DocEntry": 77})
    assert (made["DocEntry"], made["Status"], made["Canceled"]) == (1, "O", "N")


def test_rows_merge_by_line_id_and_the_rest_stays(plan: Desk, stored: Fields) -> None:
    assert stored["DocEntry"] == 1
    plan.change("PLAN", 1, {"PLAN1Collection": [{"LineId": 2, "U_Item": "X"}]})
    assert items(plan) == [(1, "A"), (2, "X")]


def test_a_row_without_line_id_overwrites_by_position(plan: Desk, stored: Fields) -> None:
    assert stored["DocEntry"] == 1
    plan.change("PLAN", 1, {"PLAN1Collection": [{"U_Item": "NEW"}]})
    assert items(plan) == [(1, "NEW"), (2, "B")]


def test_rows_are_added_behind_all_existing_ones(plan: Desk, stored: Fields) -> None:
    assert stored["DocEntry"] == 1
    plan.change("PLAN", 1, {"PLAN1Collection": [{"LineId": 1}, {"LineId": 2}, {"U_Item": "C"}]})
    assert items(plan) == [(1, "A"), (2, "B"), (3, "C")]


def test_replacing_drops_unsent_rows(plan: Desk, stored: Fields) -> None:
    assert stored["DocEntry"] == 1
    rows = [{"LineId": 2}, {"U_Item": "C"}]
    plan.change("PLAN", 1, {"PLAN1Collection": rows}, replace_collections=True)
    assert items(plan) == [(2, "B"), (3, "C")]


def test_a_closed_object_refuses_changes_and_actions(plan: Desk, stored: Fields) -> None:
    assert stored["DocEntry"] == 1
    plan.act("PLAN", 1, "Close")
    row = plan.read("PLAN", 1)
    assert (row["Status"], row["Canceled"]) == ("C", "N")
    assert plan.refusal(plan.change, "PLAN", 1, {"U_State": "X"}).code == -5006
    assert plan.refusal(plan.act, "PLAN", 1, "Close").code == -5006


def test_actions_outside_the_definition_are_refused(plan: Desk, stored: Fields) -> None:
    assert stored["DocEntry"] == 1
    assert plan.refusal(plan.act, "PLAN", 1, "Cancel").code == -5006
    plan.change("UserObjectsMD", "PLAN", {"CanCancel": "tYES", "CanDelete": "tNO"})
    assert plan.refusal(plan.delete, "PLAN", 1).code == -5006
    plan.act("PLAN", 1, "Cancel")
    assert plan.read("PLAN", 1)["Canceled"] == "Y"


def test_mandatory_fields_and_lengths_are_checked(plan: Desk) -> None:
    assert plan.refusal(plan.create, "PLAN", {}).code == -5002
    refusal = plan.refusal(plan.create, "PLAN", {"U_Whs": "123456789"})
    assert (refusal.code, refusal.text) == (-5002, "Value too long in property 'U_Whs' of 'PLAN'")


def test_a_series_numbers_objects_with_a_series_in_their_definition(
    desk: Desk, define: Callable[..., None]
) -> None:
    define(desk, ManageSeries="tYES")
    params = {"DocumentTypeParams": {"Document": "PLAN"}}
    series = desk.service("SeriesService_GetDocumentSeries", params)
    assert isinstance(series, list)
    assert isinstance(series[0], dict)
    made = desk.create("PLAN", BODY)
    assert (made["Series"], made["DocNum"]) == (series[0]["Series"], 1)
    assert desk.create("PLAN", BODY)["DocNum"] == 2


def failing_change_set(desk: Desk) -> None:
    """A fence row and an impossible return, all or nothing."""
    with desk.world.transaction():
        desk.create("U_FENCE", {"Code": "K1"})
        desk.create("PurchaseReturns", {"CardCode": "NONE", "DocumentLines": [{"ItemCode": "A/1"}]})


@pytest.mark.parametrize("rolls_back", [True, False])
def test_a_failed_change_set_removes_its_table_row_unless_switched_off(
    make_desk: Callable[..., Desk], *, rolls_back: bool
) -> None:
    desk = make_desk(user_tables_roll_back=rolls_back)
    desk.create("UserTablesMD", {"TableName": "FENCE"})
    assert desk.refusal(failing_change_set, desk).status == 400
    assert len(desk.rows("U_FENCE")) == (0 if rolls_back else 1)


def test_a_row_and_a_document_succeed_together(desk: Desk) -> None:
    desk.create("UserTablesMD", {"TableName": "FENCE"})
    before = len(desk.rows("Orders", select="DocEntry"))
    with desk.world.transaction():
        desk.create("U_FENCE", {"Code": "K1"})
        desk.create("Orders", {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1"}]})
    assert (len(desk.rows("U_FENCE")), len(desk.rows("Orders", select="DocEntry"))) == (1, before + 1)

"""A planning object as a company would define it, made by calls."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.facts import load_packaged_facts
from erpsim.world import World


class FixedClock:
    """A clock that stands a little after noon of 15 January 2026."""

    def now(self) -> datetime:
        return datetime(2026, 1, 15, 12, 34, 56, tzinfo=UTC)


@pytest.fixture
def make_desk() -> Callable[..., Desk]:
    def make(**switches: object) -> Desk:
        settings = Switches(**switches)  # type: ignore[arg-type]
        return Desk(World(load_packaged_facts(), seed="small", switches=settings, clock=FixedClock()))

    return make


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    return make_desk()


def define_plan(desk: Desk, **flags: str) -> None:
    """Define the document object `PLAN` with two child tables."""
    for name, kind in (("PLAN", "Document"), ("PLAN1", "DocumentLines"), ("PLAN2", "DocumentLines")):
        desk.create(
            "UserTablesMD", {"TableName": name, "TableDescription": name, "TableType": f"bott_{kind}"}
        )
    for table, name, field in (
        ("@PLAN", "Whs", {"Type": "db_Alpha", "Size": 8, "Mandatory": "tYES"}),
        ("@PLAN", "State", {"Type": "db_Alpha", "Size": 1, "DefaultValue": "P"}),
        ("@PLAN", "Day", {"Type": "db_Date"}),
        ("@PLAN1", "Item", {"Type": "db_Alpha", "Size": 50}),
        ("@PLAN1", "Qty", {"Type": "db_Float", "SubType": "st_Quantity"}),
        ("@PLAN2", "Text", {"Type": "db_Memo"}),
    ):
        desk.create("UserFieldsMD", {"TableName": table, "Name": name, "Description": name, **field})
    children = [{"TableName": "PLAN1"}, {"TableName": "PLAN2", "ObjectName": "PLANTEXT"}]
    desk.create(
        "UserObjectsMD",
        {
            "Code": "PLAN",
            "Name": "Planning",
            "TableName": "PLAN",
            "ObjectType": "boud_Document",
            "UserObjectMD_ChildTables": children,
            **flags,
        },
    )


@pytest.fixture
def plan(desk: Desk) -> Desk:
    """The superuser's desk at a company with the object `PLAN`, which closes and does not cancel."""
    define_plan(desk, CanClose="tYES")
    return desk


@pytest.fixture
def define() -> Callable[..., None]:
    return define_plan

"""Makers shared by the world's tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from erpsim.desk import Desk
from erpsim.facts import Facts
from erpsim.records import Caller, Dialect
from erpsim.store import Store
from erpsim.switches import Switches
from erpsim.world import World


class FixedClock:
    """A clock that stands a little after noon of 15 January 2026."""

    def now(self) -> datetime:
        return datetime(2026, 1, 15, 12, 34, 56, tzinfo=UTC)


@pytest.fixture(scope="session")
def facts() -> Facts:
    return Facts.load_default()


@pytest.fixture
def make_world(facts: Facts) -> Callable[..., World]:
    packaged = facts

    def make(
        *,
        seed: str = "small",
        switches: Switches | None = None,
        store: Store | None = None,
        facts: Facts | None = None,
    ) -> World:
        return World(facts or packaged, seed=seed, switches=switches, store=store, clock=FixedClock())

    return make


@pytest.fixture
def run_alone() -> Callable[[str], list[float]]:
    """Run code in a process of its own, where no tracer is measured along; return the numbers it prints."""

    def run(code: str) -> list[float]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
        ran = subprocess.run(
            [sys.executable, "-c", code], env=plain, capture_output=True, text=True, check=True
        )
        return [float(text) for text in ran.stdout.split()]

    return run


@pytest.fixture
def world(make_world: Callable[..., World]) -> World:
    return make_world()


@pytest.fixture
def desk(world: World) -> Desk:
    """The superuser at the small company."""
    return Desk(world)


@pytest.fixture
def warehouse_desk(world: World) -> Desk:
    """The normal user at the small company."""
    return Desk(world, Caller(user="bodega"))


@pytest.fixture
def desk_v2(world: World) -> Desk:
    """The superuser at the small company, by OData 4."""
    return Desk(world, Caller(user="manager", dialect=Dialect.V2))


@pytest.fixture
def customer(desk: Desk) -> str:
    """A fresh customer who pays VAT and the public price."""
    desk.create("BusinessPartners", {"CardCode": "CTEST", "CardName": "Cliente de prueba"})
    return "CTEST"


@pytest.fixture
def supplier(desk: Desk) -> str:
    """A fresh supplier whose price list is the cost."""
    body = {"CardCode": "PTEST", "CardName": "Proveedor", "CardType": "cSupplier", "PriceListNum": 4}
    desk.create("BusinessPartners", body)
    return "PTEST"


@pytest.fixture
def item(desk: Desk) -> str:
    """A fresh item that sells for 1,000, costs 600 and of which 100 lie in warehouse 01."""
    prices = [{"PriceList": 1, "Price": 1000}, {"PriceList": 4, "Price": 600}]
    desk.create("Items", {"ItemCode": "TEST-1", "ItemName": "Artículo de prueba", "ItemPrices": prices})
    line = {"ItemCode": "TEST-1", "Quantity": 100, "UnitPrice": 600, "WarehouseCode": "01"}
    desk.create("InventoryGenEntries", {"DocumentLines": [line]})
    return "TEST-1"

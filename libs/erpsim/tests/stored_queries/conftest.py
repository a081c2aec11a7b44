"""Desks at a company with stored queries."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.facts import load_packaged_facts
from erpsim.world import World


@pytest.fixture
def make_desk() -> Callable[..., Desk]:
    def make(**switches: object) -> Desk:
        settings = Switches(**switches)  # type: ignore[arg-type]
        return Desk(World(load_packaged_facts(), seed="small", switches=settings))

    return make


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    return make_desk()

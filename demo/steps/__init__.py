"""The steps of the tour, in order. A step is one module with NAME, TITLE and run(tour)."""

from types import ModuleType

from demo.steps import (
    audit,
    change,
    create,
    denied,
    last_admin,
    list_rows,
    login,
    read,
    stale_change,
    throttled,
)

STEPS: tuple[ModuleType, ...] = (
    login,
    list_rows,
    read,
    create,
    change,
    stale_change,
    denied,
    throttled,
    last_admin,
    audit,
)

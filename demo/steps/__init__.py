"""The steps of the tour, in order: modules with NAME, TITLE and run(tour), or what a module lists."""

from demo.steps import (
    audit,
    change,
    create,
    denied,
    last_admin,
    list_rows,
    login,
    read,
    returns,
    stale_change,
    throttled,
)
from demo.tour import Step

STEPS: tuple[Step, ...] = (
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
    *returns.STEPS,
)

"""A whole plan at once: lines planned and put into documents. Pure; takes long when there is a lot."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

import attrs

from supplier_returns.planning.drafting import Arrangement, Scene, arrange, plan_lines
from supplier_returns.planning.errors import PlanningTooLarge
from supplier_returns.planning.picks import Pick
from supplier_returns.planning.record import Planning, PlanningHeader, PlanningLine

MAX_ALLOCATIONS: Final = 10_000
"""Allocations that one planning may have: the ERP keeps a row of each."""


def plan(lines: Sequence[PlanningLine], scene: Scene, *, max_lines: int, return_date: date) -> Arrangement:
    """Plan new lines.

    Args:
        lines: As asked.
        scene: What to plan against.
        max_lines: Lines that one document may have.
        return_date: Posting date of the returns.

    Raises:
        PlanningTooLarge: It touches too many receipt lines.
    """
    planned = plan_lines(lines, scene, return_date=return_date)
    _check_size(planned)
    return arrange(planned, (), max_lines=max_lines, has_bins=scene.warehouse.has_bins)


def replan(
    planning: Planning,
    lines: Sequence[PlanningLine],
    scene: Scene,
    picks: Mapping[int, Sequence[Pick]] | None = None,
) -> Planning:
    """Plan some lines of a planning anew and fill its documents again.

    Args:
        planning: The others of its lines stay as they are.
        lines: As for `plan_lines`.
        scene: What to plan against.
        picks: What is picked now, by line id.

    Raises:
        PicksMismatchError: What is picked now does not add up to what the line gives back.
        PlanningTooLarge: It touches too many receipt lines.
    """
    again = plan_lines(lines, scene, return_date=planning.header.posting_date, picks=picks)
    by_id = {line.line_id: line for line in again}
    every = [by_id.get(line.line_id, line) for line in planning.lines]
    _check_size(every)
    arranged = arrange(
        every,
        planning.documents,
        max_lines=planning.header.max_lines,
        has_bins=scene.warehouse.has_bins,
    )
    return attrs.evolve(planning, lines=arranged.lines, documents=arranged.documents)


def plans_otherwise(planning: Planning, header: PlanningHeader) -> bool:
    """Tell whether a header plans otherwise: in another warehouse, or with a date that receipts depend on."""
    before = planning.header
    if header.whs_code != before.whs_code:
        return True
    if header.posting_date > before.posting_date:
        return any(line.no_receipt for line in planning.lines)
    return any(
        part.receipt.doc_date > header.posting_date for line in planning.lines for part in line.allocations
    )


def _check_size(lines: Sequence[PlanningLine]) -> None:
    if sum(len(line.allocations) for line in lines) > MAX_ALLOCATIONS:
        raise PlanningTooLarge

"""Plannings as a list shows them."""

from datetime import date, datetime

from attrs import frozen

from supplier_returns.planning.model.states import PlanningState


@frozen(kw_only=True)
class PlanningSummary:
    """One planning of a list; what the record does not tell is None, empty or 0.

    Attributes:
        whs_code: None, like the date, in an unreadable record only.
    """

    id: int
    number: int
    is_open: bool
    state: PlanningState
    whs_code: str | None
    posting_date: date | None
    created_by: str
    created_at: datetime | None
    line_count: int
    document_count: int
    created_count: int
    failed_count: int


@frozen
class PlanningFilter:
    """Which plannings to list; None for any.

    Attributes:
        is_open: Open or closed.
        created_from: First day of creation.
        created_by: ERP user code.
        state: The recorded state.
        other_than: A state to leave out.
    """

    is_open: bool | None = None
    whs_code: str | None = None
    created_from: date | None = None
    created_by: str | None = None
    state: PlanningState | None = None
    other_than: PlanningState | None = None


@frozen
class PlanningPage:
    """A part of a list, newest first, with the number of all."""

    rows: tuple[PlanningSummary, ...]
    total: int

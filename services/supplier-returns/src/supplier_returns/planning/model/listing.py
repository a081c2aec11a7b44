"""Values of the list of plannings."""

from datetime import date, datetime

from attrs import frozen

from supplier_returns.planning.model.states import PlanningState


@frozen(kw_only=True)
class PlanningSummary:
    """Planning in a list. Fields that the record lacks are None, empty or 0.

    Attributes:
        whs_code: warehouse. None, like the date, only in an unreadable record.
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
    """Conditions on listed plannings. None means any.

    Attributes:
        is_open: whether the planning is open.
        created_from: first day of creation.
        created_by: ERP user code.
        state: recorded state.
        other_than: state to exclude.
    """

    is_open: bool | None = None
    whs_code: str | None = None
    created_from: date | None = None
    created_by: str | None = None
    state: PlanningState | None = None
    other_than: PlanningState | None = None


@frozen
class PlanningPage:
    """Page of a list, newest first, with the total number."""

    rows: tuple[PlanningSummary, ...]
    total: int

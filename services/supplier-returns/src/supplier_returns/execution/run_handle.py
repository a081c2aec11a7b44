"""Handle of a run that works in the background."""

from attrs import frozen

from servicekit.tasks import FollowedTask
from supplier_returns.execution.context import Progress
from supplier_returns.execution.record import RunRecord
from supplier_returns.planning.model.planning import Planning


@frozen(eq=False, repr=False)
class RunHandle:
    """Running or finished execution as its clients see it.

    Attributes:
        task: reports the progress; its result is the planning.
    """

    _record: RunRecord
    task: FollowedTask[Progress, Planning]

    @property
    def current_planning(self) -> Planning | None:
        """Latest state of the planning in the run, or None before the run has read it."""
        return self._record.planning if self._record.is_read else None

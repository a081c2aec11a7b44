"""Context that all runs share, and the progress that each run reports."""

from attrs import define, frozen

from servicekit.clock import Clock
from supplier_returns.execution.rules.timing import Timing
from supplier_returns.execution.settings import ExecutionRules
from supplier_returns.planning.computing import Computing
from supplier_returns.planning.model.documents import SupplierDocument


@frozen(kw_only=True)
class Progress:
    """Progress of an execution.

    Attributes:
        done: number of processed documents.
        total: number of documents in this run.
        document: document processed last; None at the start.
    """

    done: int
    total: int
    document: SupplierDocument | None = None


@define(kw_only=True)
class RunContext:
    """Context that all runs share.

    Attributes:
        rules: settings of the installation.
        computing: runs long computations outside the event loop.
        is_stopping: True during shutdown. Every run ends after its current document.
    """

    rules: ExecutionRules
    computing: Computing
    clock: Clock
    is_stopping: bool = False

    def timing(self) -> Timing:
        """Return the present time with the installation's settings for time."""
        return Timing(
            now=self.clock.now(),
            uncertain_wait=self.rules.uncertain_wait,
            clock_time=self.rules.clock_time,
        )

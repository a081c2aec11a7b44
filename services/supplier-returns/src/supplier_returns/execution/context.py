"""What all runs of plannings share, and what each tells of its progress."""

from attrs import define, frozen

from servicekit.clock import Clock
from supplier_returns.execution.rules.timing import Timing
from supplier_returns.execution.settings import ExecutionRules
from supplier_returns.planning.computing import Computing
from supplier_returns.planning.model.documents import SupplierDocument


@frozen(kw_only=True)
class Progress:
    """How far an execution is.

    Attributes:
        done: Documents that this run is through with.
        total: Documents of this run.
        document: The one it was through with last, None at the beginning.
    """

    done: int
    total: int
    document: SupplierDocument | None = None


@define(kw_only=True)
class RunContext:
    """What all runs share.

    Attributes:
        rules: Of the installation.
        computing: Where what takes long is computed.
        clock: Time.
        is_stopping: Whether every run is to end after the document that it is at.
    """

    rules: ExecutionRules
    computing: Computing
    clock: Clock
    is_stopping: bool = False

    def timing(self) -> Timing:
        """Return the present, and what the installation says about time."""
        return Timing(
            now=self.clock.now(),
            uncertain_wait=self.rules.uncertain_wait,
            clock_time=self.rules.clock_time,
        )

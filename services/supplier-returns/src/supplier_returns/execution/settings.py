"""What the installation configures of executions."""

from collections.abc import Callable
from datetime import timedelta

from attrs import frozen

from supplier_returns.execution.rules.return_body import (
    ReturnFields,
)


@frozen(kw_only=True)
class ExecutionRules:
    """What the installation says about executions.

    Attributes:
        uncertain_wait: How long after an attempt without an answer nothing is posted again.
        fields: Names of the return's fields.
        clock_time: Writes a moment as people in the company read it.
        needs_fence: Whether nothing may be posted without the fence.
    """

    uncertain_wait: timedelta
    fields: ReturnFields
    clock_time: Callable[..., str]
    needs_fence: bool = False

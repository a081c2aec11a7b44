"""Settings of executions."""

from collections.abc import Callable
from datetime import timedelta

from attrs import frozen

from supplier_returns.execution.rules.return_body import (
    ReturnFields,
)


@frozen(kw_only=True)
class ExecutionRules:
    """Settings of executions.

    Attributes:
        uncertain_wait: delay before a new post, after an attempt without a reply.
        fields: names of the return's fields.
        clock_time: formats a time in the company's time zone.
        needs_fence: whether every post requires the fence.
    """

    uncertain_wait: timedelta
    fields: ReturnFields
    clock_time: Callable[..., str]
    needs_fence: bool = False

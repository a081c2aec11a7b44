"""Start of a run with the fence: every attempt is recorded before the first post."""

from collections.abc import Sequence
from datetime import datetime

from attrs import evolve, frozen

from erpclient import ErpError, SessionEnded
from servicekit.errors import ServiceError
from supplier_returns.execution.attempt import Attempt
from supplier_returns.execution.context import RunContext
from supplier_returns.execution.lookups import Lookups, found_among
from supplier_returns.execution.record import RunRecord
from supplier_returns.execution.rules.next_step import next_step
from supplier_returns.execution.rules.steps import Finish, Lookup, RecordAttempt
from supplier_returns.planning.model.planning import Planning


@frozen
class RunStart:
    """Planning and attempts as a run's first write records them.

    Attributes:
        planning: planning with the recorded attempts.
        attempts: documents that the run processes, in their order.
        lookup_error: error of the lookup that failed, or None. The run processes the documents before it,
            and then ends with this error.
    """

    planning: Planning
    attempts: tuple[Attempt, ...]
    lookup_error: ErpError | ServiceError | None = None


async def start_together(
    planning: Planning,
    attempts: Sequence[Attempt],
    *,
    record: RunRecord,
    lookups: Lookups,
    context: RunContext,
) -> RunStart:
    """Look up documents of earlier runs, and add this run's attempts to the planning.

    A kill after the write leaves all of these documents in doubt. The fence prevents a second return of each.

    Raises:
        SessionEnded: the ERP no longer knows the session.
    """
    started: list[Attempt] = []
    lookup_error: ErpError | ServiceError | None = None
    at = record.now()
    for position, attempt in enumerate(attempts):
        if context.is_stopping:
            # The shutdown ends the run soon, so skip the remaining lookups.
            started += attempts[position:]
            break
        try:
            started.append(await _start(_with_listed_return(attempt, record), at, lookups, context))
        except SessionEnded:
            raise
        except (ErpError, ServiceError) as error:
            lookup_error = error
            break
    documents = (attempt.document for attempt in started)
    return RunStart(planning.with_documents(documents), tuple(started), lookup_error)


def _with_listed_return(attempt: Attempt, record: RunRecord) -> Attempt:
    if attempt.document.attempts and record.returns is not None:
        return evolve(attempt, evidence=found_among(record.returns, attempt))
    return attempt


async def _start(attempt: Attempt, at: datetime, lookups: Lookups, context: RunContext) -> Attempt:
    # Only lookups run before the common write. Checks and posts follow it.
    while isinstance(step := next_step(attempt.document, attempt.evidence, context.timing()), Lookup):
        attempt = evolve(attempt, evidence=await lookups.look_up(step, attempt))
    if isinstance(step, Finish):
        return evolve(attempt, finish=step, document=step.document)
    in_doubt = isinstance(step, RecordAttempt) and step.in_doubt
    return evolve(
        attempt,
        document=attempt.attempt_recorded(at),
        evidence=attempt.evidence.attempt_recorded(at, in_doubt=in_doubt),
    )

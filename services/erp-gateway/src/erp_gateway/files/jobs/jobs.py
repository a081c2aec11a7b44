"""All jobs of the process."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final, Protocol, TypeAlias

import structlog
from attrs import define, field

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.temporary_files import new_file, write_all
from erp_gateway.files.jobs.errors import JobCancelled, JobNotFound, JobsFull, TooManyJobs
from erp_gateway.files.jobs.job import Job, JobKind, JobRequest, Pdf, Snapshot
from erp_gateway.settings.exports import Exports
from erp_gateway.web.disconnects import Check, while_allowed
from servicekit.clock import Clock
from servicekit.errors import ServiceError, ShuttingDown, as_service_error
from servicekit.tasks import FollowedTask, every, finish

_log = structlog.get_logger(__name__)

Watch: TypeAlias = Callable[[JobRequest], Check]
"""Returns a check that raises once the owner of a new job signed out or lost a right that it needs."""

MOST_JOBS: Final = 256
"""Jobs of all users, finished or running."""

_ID_BYTES: Final = 16

SWEEP_S: Final = 30.0
"""Interval at which expired jobs are removed."""

# Longest wait for cancelled jobs at shutdown.
_END_S: Final = 30.0


class JobsObserver(Protocol):
    """Counts for the metrics page."""

    def watch(self, running: Callable[[], int]) -> None:
        """Take a function that returns the number of running jobs."""
        ...

    def job_started(self, kind: JobKind) -> None:
        """Count a started job."""
        ...

    def job_ended(self, kind: JobKind, outcome: str) -> None:
        """Count an ended job by its outcome: `ok`, or the code of its error."""
        ...


@define(eq=False, repr=False)
class Jobs:
    """Starts jobs and keeps their results in temporary files.

    Args:
        clock: time.
        budget: disk budget, shared with all exports.
        watch: returns the check of a job's owner.
        keep_s: seconds for which a finished job is kept.
        per_user: limit of running and finished jobs of one user.
        observer: counts jobs.
    """

    _clock: Clock
    _budget: SpoolBudget
    _watch: Watch
    _keep_s: float = field(kw_only=True)
    _per_user: int = field(kw_only=True)
    _observer: JobsObserver | None = field(default=None, kw_only=True)
    _jobs: dict[str, Job] = field(factory=dict, init=False)
    _removed: set[Job] = field(factory=set, init=False)
    _draining: bool = field(default=False, init=False)
    _running: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        if self._observer is not None:
            self._observer.watch(lambda: self._running)

    def start(self, request: JobRequest) -> Job:
        """Start a job. It continues without its client, and ends when its owner loses session or right.

        Raises:
            TooManyJobs: the owner has reached the limit of a user.
            JobsFull: all users together have reached the total limit.
            ShuttingDown: the service stops.
        """
        self.sweep()
        if self._draining:
            raise ShuttingDown
        if len(self.of(request.owner)) >= self._per_user:
            raise TooManyJobs
        if len(self._jobs) >= MOST_JOBS:
            raise JobsFull
        check = self._watch(request)
        job = Job(
            id=secrets.token_urlsafe(_ID_BYTES),
            request=request,
            created_at=self._clock.now(),
            work=FollowedTask(lambda report: self._run(job, report, check)),
        )
        self._jobs[job.id] = job
        self._running += 1
        if self._observer is not None:
            self._observer.job_started(request.kind)
        return job

    def find(self, identifier: str, owner: str) -> Job:
        """Return a job of this user.

        Raises:
            JobNotFound: no such job, or another user's: the response is the same.
        """
        self.sweep()
        job = self._jobs.get(identifier)
        if job is None or job.request.owner != owner:
            raise JobNotFound
        return job

    def of(self, owner: str) -> list[Job]:
        """Return the jobs of a user, the newest first."""
        return [job for job in reversed(self._jobs.values()) if job.request.owner == owner]

    def remove(self, job: Job) -> None:
        """Remove a job: cancel its work and delete its result."""
        self._jobs.pop(job.id, None)
        if job.ended_at is None:
            job.ending = JobCancelled()
            self._removed.add(job)
            job.work.cancel()
        _delete_file(job)

    def sweep(self) -> None:
        """Remove expired jobs."""
        now = self._clock.monotonic()
        for job in [job for job in self._jobs.values() if job.over_at_s is not None and now >= job.over_at_s]:
            self.remove(job)

    def drain(self) -> None:
        """End all running jobs: the service stops."""
        self._draining = True
        for job in self._jobs.values():
            if job.ended_at is None:
                job.ending = ShuttingDown()
                job.work.cancel()

    async def aclose(self) -> None:
        """End all running jobs, wait for them, and delete all results."""
        self.drain()
        running = [job.work.ended_within(_END_S) for job in (*self._jobs.values(), *self._removed)]
        await asyncio.gather(*running)
        for job in list(self._jobs.values()):
            self.remove(job)

    async def _run(self, job: Job, report: Callable[[Snapshot], None], check: Check) -> Snapshot:
        await self._make(job, report, check)
        if job.error is not None:
            raise job.error.without_traceback()
        return job.snapshot()

    async def _make(self, job: Job, report: Callable[[Snapshot], None], check: Check) -> None:
        report(job.snapshot())

        def report_progress(done: int) -> None:
            job.done = done
            check()  # before the next document
            report(job.snapshot())

        try:
            pdf = await while_allowed(job.request.make(report_progress), check)
            await self._keep(job, pdf)
        except asyncio.CancelledError:
            self._end(job, job.ending or ShuttingDown())
        except Exception as error:  # noqa: BLE001 - the owner gets the job's error, and the log its traceback
            if as_service_error(error) is not error:
                _log.exception("job_crashed", job_kind=job.request.kind.value)
            self._end(job, as_service_error(error))
        else:
            job.title, job.done = pdf.title, job.request.total
            self._end(job, None)

    def _end(self, job: Job, error: ServiceError | None) -> None:
        job.error = None if error is None else error.without_traceback()
        job.ended_at = self._clock.now()
        job.expires_at = job.ended_at + timedelta(seconds=self._keep_s)
        job.over_at_s = self._clock.monotonic() + self._keep_s
        if job in self._removed:
            self._removed.discard(job)
            _delete_file(job)
        outcome = "ok" if error is None else error.code
        self._running -= 1
        if self._observer is not None:
            self._observer.job_ended(job.request.kind, outcome)
        _log.info("job_ended", job_kind=job.request.kind.value, documents=job.request.total, outcome=outcome)

    async def _keep(self, job: Job, pdf: Pdf) -> None:
        """Write the result to a temporary file.

        Raises:
            ExportNoRoom: there is no disk space for it.
        """
        with new_file(self._budget.of(job.request.owner)) as file:
            file.share.resize(len(pdf.content))
            await finish(asyncio.to_thread(write_all, file.file, pdf.content))
        job.file = file


def _delete_file(job: Job) -> None:
    if job.file is not None:
        job.file.close()
        job.file = None


@asynccontextmanager
async def open_jobs(
    settings: Exports,
    clock: Clock,
    budget: SpoolBudget,
    watch: Watch,
    observer: JobsObserver | None = None,
) -> AsyncIterator[Jobs]:
    """Open the jobs; on leaving, end all running jobs and delete all results.

    Args:
        settings: numbers and times.
        clock: time.
        budget: disk budget of their files.
        watch: returns the check of a job's owner.
        observer: counts jobs.
    """
    jobs = Jobs(
        clock,
        budget,
        watch,
        keep_s=settings.keep_minutes * 60.0,
        per_user=settings.jobs_per_user,
        observer=observer,
    )

    async def sweep() -> None:
        jobs.sweep()

    async with every(SWEEP_S, "jobs_sweep", sweep):
        try:
            yield jobs
        finally:
            await jobs.aclose()

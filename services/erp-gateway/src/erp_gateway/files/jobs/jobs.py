"""All jobs of the process: begun, found by their owner, kept for a while, ended with the service."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Protocol, TypeAlias

import structlog
from attrs import define, field, frozen

from erp_gateway.files.exports.budget import HeldFile, SpoolBudget, new_file, write_all
from erp_gateway.files.jobs.errors import JobCancelled, JobNotFound, JobsFull, TooManyJobs
from erp_gateway.settings.modules import Exports
from erp_gateway.web.disconnects import Check, while_allowed
from servicekit.clock import Clock
from servicekit.errors import ServiceError, ShuttingDown, as_service_error
from servicekit.tasks import FollowedTask, every, finish

_log = structlog.get_logger(__name__)


class JobKind(StrEnum):
    """What a job makes."""

    REPORT = "report"
    DOCUMENT = "document"
    HTML_REPORT = "html_report"


class JobState(StrEnum):
    """How far it is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@frozen
class Pdf:
    """A PDF, and its name for people."""

    title: str
    content: bytes


ReportProgress: TypeAlias = Callable[[int], None]
"""Takes how many of a job's documents are there."""


@frozen(kw_only=True)
class JobRequest:
    """What is to be made.

    Attributes:
        kind: of work.
        owner: the web user who alone may see it.
        menu: menu route that it takes; asked again when the result is fetched.
        screens: menu routes of which it takes one besides, where there are some; asked again too.
        total: how many documents it has.
        make: makes it; what it raises is the job's end.
    """

    kind: JobKind
    owner: str
    menu: str
    screens: tuple[str, ...] = ()
    total: int = 1
    make: Callable[[ReportProgress], Coroutine[Any, Any, Pdf]]

    @property
    def needed(self) -> tuple[Sequence[str], ...]:
        """Groups of menu routes; of each that is not empty its owner needs one."""
        return ((self.menu,), self.screens)


Watch: TypeAlias = Callable[[JobRequest], Check]
"""Returns what raises once the owner of a job that begins signed out, or lost a right that it takes."""


@frozen(kw_only=True)
class Snapshot:
    """A job at one moment.

    Attributes:
        id: unguessable.
        kind: what it makes.
        state: how far it is.
        done: how many of its documents are there.
        total: how many it has.
        title: of the file; None while it is not there.
        created_at: when it was begun.
        ended_at: when it ended.
        expires_at: until when its end is told and its result kept.
        result: where the file is fetched; None while, or because, there is none.
        error: code and sentence of its failure.
    """

    id: str
    kind: JobKind
    state: JobState
    done: int
    total: int
    title: str | None
    created_at: datetime
    ended_at: datetime | None
    expires_at: datetime | None
    result: str | None
    error: "JobError | None"


@frozen(kw_only=True)
class JobError:
    """Why a job failed, with the code and the sentence that the usual answer would have had."""

    code: str
    message: str


@define(eq=False, kw_only=True)
class Job:
    """A job with its work; `jobs.Jobs` alone changes it."""

    id: str
    wanted: JobRequest
    created_at: datetime
    work: FollowedTask[Snapshot, Snapshot] = field(repr=False)
    done: int = 0
    ending: ServiceError | None = None
    error: ServiceError | None = None
    title: str | None = None
    file: HeldFile | None = None
    ended_at: datetime | None = None
    expires_at: datetime | None = None
    over_at_s: float | None = None

    @property
    def state(self) -> JobState:
        """How far it is."""
        if self.ended_at is None:
            return JobState.RUNNING
        return JobState.FAILED if self.error is not None else JobState.DONE

    def snapshot(self) -> Snapshot:
        """Return what can be told of it now."""
        return Snapshot(
            id=self.id,
            kind=self.wanted.kind,
            state=self.state,
            done=self.done,
            total=self.wanted.total,
            title=self.title,
            created_at=self.created_at,
            ended_at=self.ended_at,
            expires_at=self.expires_at,
            result=f"/api/jobs/{self.id}/result" if self.state is JobState.DONE else None,
            error=None if self.error is None else JobError(code=self.error.code, message=self.error.detail),
        )


MOST_JOBS: Final = 256
"""Jobs of all people together, made or being made."""

_ID_BYTES: Final = 16


class JobsObserver(Protocol):
    """Is told of jobs, as metrics are."""

    def watch(self, running: Callable[[], int]) -> None:
        """Take what tells how many are being made."""
        ...

    def job_started(self, kind: JobKind) -> None:
        """Take one that was begun."""
        ...

    def job_ended(self, kind: JobKind, outcome: str) -> None:
        """Take one that ended: `ok`, or the code of what it ended with."""
        ...


@define(eq=False, repr=False)
class Jobs:
    """Begins jobs and keeps what they made, in temporary files without names.

    Args:
        clock: time.
        budget: the room that their files share with all exports.
        watch: makes the check of a job's owner.
        keep_s: how long a job is told of after its end.
        per_user: most jobs of one person, made or being made.
        observer: is told of each.
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
        """Begin a job. It goes on when its client leaves, and ends when its owner loses session or right.

        Raises:
            TooManyJobs: its owner has as many as one may have.
            JobsFull: all people together have.
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
            wanted=request,
            created_at=self._clock.now(),
            work=FollowedTask(lambda tell: self._run(job, tell, check)),
        )
        self._jobs[job.id] = job
        self._running += 1
        if self._observer is not None:
            self._observer.job_started(request.kind)
        return job

    def find(self, identifier: str, owner: str) -> Job:
        """Return a job of this person.

        Raises:
            JobNotFound: there is none, or it is somebody else's, which looks the same.
        """
        self.sweep()
        job = self._jobs.get(identifier)
        if job is None or job.wanted.owner != owner:
            raise JobNotFound
        return job

    def of(self, owner: str) -> list[Job]:
        """Return a person's jobs, the newest first."""
        return [job for job in reversed(self._jobs.values()) if job.wanted.owner == owner]

    def remove(self, job: Job) -> None:
        """Forget a job: what it is at is given up, what it made is deleted."""
        self._jobs.pop(job.id, None)
        if job.ended_at is None:
            job.ending = JobCancelled()
            self._removed.add(job)
            job.work.cancel()
        _delete_file(job)

    def sweep(self) -> None:
        """Forget the jobs whose time has passed."""
        now = self._clock.monotonic()
        for job in [job for job in self._jobs.values() if job.over_at_s is not None and now >= job.over_at_s]:
            self.remove(job)

    def drain(self) -> None:
        """Have all that run end, and say so: the service stops."""
        self._draining = True
        for job in self._jobs.values():
            if job.ended_at is None:
                job.ending = ShuttingDown()
                job.work.cancel()

    async def aclose(self) -> None:
        """End what runs, wait for it, and delete what was made."""
        self.drain()
        running = [job.work.ended_within(_END_S) for job in (*self._jobs.values(), *self._removed)]
        await asyncio.gather(*running)
        for job in list(self._jobs.values()):
            self.remove(job)

    async def _run(self, job: Job, tell: Callable[[Snapshot], None], check: Check) -> Snapshot:
        await self._make(job, tell, check)
        if job.error is not None:
            raise job.error.without_traceback()
        return job.snapshot()

    async def _make(self, job: Job, tell: Callable[[Snapshot], None], check: Check) -> None:
        tell(job.snapshot())

        def told(done: int) -> None:
            job.done = done
            check()  # before the next document
            tell(job.snapshot())

        try:
            made = await while_allowed(job.wanted.make(told), check)
            await self._keep(job, made)
        except asyncio.CancelledError:
            self._end(job, job.ending or ShuttingDown())
        except Exception as error:  # noqa: BLE001 - it is the end of this job, told and logged
            if as_service_error(error) is not error:
                _log.exception("job_crashed", job_kind=job.wanted.kind.value)
            self._end(job, as_service_error(error))
        else:
            job.title, job.done = made.title, job.wanted.total
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
            self._observer.job_ended(job.wanted.kind, outcome)
        _log.info("job_ended", job_kind=job.wanted.kind.value, documents=job.wanted.total, outcome=outcome)

    async def _keep(self, job: Job, made: Pdf) -> None:
        """Write the file.

        Raises:
            ExportNoRoom: there is no room for it.
        """
        with new_file(self._budget.of(job.wanted.owner)) as held:
            held.share.resize(len(made.content))
            await finish(asyncio.to_thread(write_all, held.file, made.content))
        job.file = held


_END_S: Final = 30.0
"""How long the end of what was cancelled is waited for."""


def _delete_file(job: Job) -> None:
    if job.file is not None:
        job.file.close()
        job.file = None


SWEEP_S: Final = 30.0
"""How often what has expired is looked for, even if nobody asks for anything."""


@asynccontextmanager
async def open_jobs(
    settings: Exports,
    clock: Clock,
    budget: SpoolBudget,
    watch: Watch,
    observer: JobsObserver | None = None,
) -> AsyncIterator[Jobs]:
    """Open the room; on leaving, end what runs and delete what was made.

    Args:
        settings: how many, and how long they are kept.
        clock: time.
        budget: the room for their files.
        watch: makes the check of a job's owner.
        observer: is told of each.
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

"""One job: its request, its state and its result."""

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from attrs import define, field, frozen

from erp_gateway.files.exports.temporary_files import HeldFile
from servicekit.errors import ServiceError
from servicekit.tasks import FollowedTask


class JobKind(StrEnum):
    """Kind of a job."""

    REPORT = "report"
    DOCUMENT = "document"
    HTML_REPORT = "html_report"


class JobState(StrEnum):
    """State of a job."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@frozen
class Pdf:
    """A PDF and its title."""

    title: str
    content: bytes


ReportProgress: TypeAlias = Callable[[int], None]
"""Called with the number of finished documents."""


@frozen(kw_only=True)
class JobRequest:
    """A requested job.

    Attributes:
        kind: kind of job.
        owner: the web user; no other user sees the job.
        menu: the menu route that the job needs; checked again when the result is fetched.
        screens: if not empty, the job also needs one of these menu routes; checked again too.
        total: number of documents.
        make: makes the PDF; its error is the job's error.
    """

    kind: JobKind
    owner: str
    menu: str
    screens: tuple[str, ...] = ()
    total: int = 1
    make: Callable[[ReportProgress], Coroutine[Any, Any, Pdf]]

    @property
    def needed_routes(self) -> tuple[Sequence[str], ...]:
        """Groups of menu routes; the owner needs one of each group that is not empty."""
        return ((self.menu,), self.screens)


@frozen(kw_only=True)
class Snapshot:
    """A job at one moment.

    Attributes:
        id: unguessable.
        kind: kind of job.
        state: running, done or failed.
        done: number of finished documents.
        total: number of documents.
        title: of the file; None until it is finished.
        created_at: start of the job.
        ended_at: end of the job; None while it runs.
        expires_at: time at which job and result are deleted; None while it runs.
        result: URL of the file; None without one.
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
    """Failure of a job, with the code and the sentence of the corresponding response."""

    code: str
    message: str


@define(eq=False, kw_only=True)
class Job:
    """A job with its work; only `jobs.Jobs` changes it."""

    id: str
    request: JobRequest
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
        """The state by its end and its error."""
        if self.ended_at is None:
            return JobState.RUNNING
        return JobState.FAILED if self.error is not None else JobState.DONE

    def snapshot(self) -> Snapshot:
        """Return the job as its owner sees it now."""
        return Snapshot(
            id=self.id,
            kind=self.request.kind,
            state=self.state,
            done=self.done,
            total=self.request.total,
            title=self.title,
            created_at=self.created_at,
            ended_at=self.ended_at,
            expires_at=self.expires_at,
            result=f"/api/jobs/{self.id}/result" if self.state is JobState.DONE else None,
            error=None if self.error is None else JobError(code=self.error.code, message=self.error.detail),
        )

"""One job: what it makes, for whom, how far it is, and what came of it."""

from collections.abc import Callable, Coroutine
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from attrs import define, field, frozen

from erp_gateway.exports.budget import HeldFile
from servicekit.errors import ServiceError
from servicekit.tasks import Following


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
class Made:
    """A PDF, and its name for people."""

    title: str
    content: bytes


Told: TypeAlias = Callable[[int], None]
"""Takes how many of a job's documents are there."""


@frozen(kw_only=True)
class Wanted:
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
    make: Callable[[Told], Coroutine[Any, Any, Made]]


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
    wanted: Wanted
    created_at: datetime
    done: int = 0
    ending: ServiceError | None = None
    error: ServiceError | None = None
    title: str | None = None
    file: HeldFile | None = None
    ended_at: datetime | None = None
    expires_at: datetime | None = None
    over_at_s: float | None = None
    work: "Following[Snapshot, Snapshot] | None" = field(default=None, repr=False)

    @property
    def following(self) -> Following[Snapshot, Snapshot]:
        """Its work, which every job has that can be found.

        Raises:
            LookupError: it was not begun yet.
        """
        if self.work is None:
            raise LookupError(self.id)
        return self.work

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

"""Jobs: how many, how they end, and what is left of them."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.jobs.errors import JobNotFound, JobsFull, TooManyJobs
from erp_gateway.files.jobs.job import Job, JobKind, JobRequest, JobState, Pdf, ReportProgress
from erp_gateway.files.jobs.jobs import MOST_JOBS, Jobs
from erp_gateway.web.disconnects import Check
from servicekit.clock import ManualClock
from servicekit.errors import ServiceError, ShuttingDown
from servicekit.testing.remains import uncollected

pytestmark = pytest.mark.asyncio

KEEP_S = 60


def wanted(
    owner: str = "ana", *, fails: Exception | None = None, release: asyncio.Event | None = None
) -> JobRequest:
    async def make(_told: ReportProgress) -> Pdf:
        if release is not None:
            await release.wait()
        if fails is not None:
            raise fails
        return Pdf("Pedido", b"%PDF-1.7")

    return JobRequest(kind=JobKind.DOCUMENT, owner=owner, menu="/ventas/pedidos", make=make)


def watch_nobody(_request: JobRequest) -> Check:
    return lambda: None


@pytest.fixture
def budget() -> SpoolBudget:
    return SpoolBudget(1000)


@pytest_asyncio.fixture
async def jobs(clock: ManualClock, budget: SpoolBudget) -> AsyncIterator[Jobs]:
    opened = Jobs(clock, budget, watch_nobody, keep_s=KEEP_S, per_user=3)
    yield opened
    await opened.aclose()


async def end_of(job: Job) -> JobState:
    assert await job.work.ended_within(30)
    return job.state


async def test_a_job_over_the_limit_is_refused_until_one_expires(jobs: Jobs, clock: ManualClock) -> None:
    begun = [jobs.start(wanted()) for _ in range(3)]
    for job in begun:
        assert await end_of(job) is JobState.DONE
    with pytest.raises(TooManyJobs):
        jobs.start(wanted())
    jobs.start(wanted("luis"))
    clock.advance(KEEP_S)
    again = jobs.start(wanted())
    assert jobs.of("ana") == [again]
    with pytest.raises(JobNotFound):
        jobs.find(begun[0].id, "ana")


async def test_the_total_number_of_jobs_is_limited(jobs: Jobs) -> None:
    for number in range(MOST_JOBS):
        jobs.start(wanted(f"user{number}"))
    with pytest.raises(JobsFull):
        jobs.start(wanted())


async def test_an_unexpected_error_ends_the_job_discreetly_and_is_logged(jobs: Jobs) -> None:
    with capture_logs() as logs:
        job = jobs.start(wanted(fails=KeyError("secret")))
        assert await end_of(job) is JobState.FAILED
    assert job.error is not None
    assert (job.error.code, "secret" in str(job.snapshot())) == ("internal_error", False)
    assert [line["event"] for line in logs] == ["job_crashed", "job_ended"]


async def test_a_full_disk_fails_the_job_with_export_no_room(clock: ManualClock) -> None:
    jobs = Jobs(clock, SpoolBudget(3), watch_nobody, keep_s=KEEP_S, per_user=3)
    job = jobs.start(wanted())
    assert await end_of(job) is JobState.FAILED
    assert job.error is not None
    assert job.error.code == "export_no_room"
    await jobs.aclose()


async def test_a_missing_temporary_folder_fails_the_job_and_frees_its_budget(
    jobs: Jobs, budget: SpoolBudget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    job = jobs.start(wanted())
    assert await end_of(job) is JobState.FAILED
    assert job.error is not None
    assert (job.error.code, budget.held) == ("export_no_room", 0)


async def test_closing_cancels_running_jobs_and_deletes_results(jobs: Jobs, budget: SpoolBudget) -> None:
    done, running = jobs.start(wanted()), jobs.start(wanted(release=asyncio.Event()))
    await end_of(done)
    assert budget.held == len(b"%PDF-1.7")
    await jobs.aclose()
    assert (budget.held, running.state) == (0, JobState.FAILED)
    with pytest.raises(ShuttingDown):
        await running.work.result()
    with pytest.raises(ServiceError):
        jobs.start(wanted())


class Counted:
    """Keeps what is told of jobs."""

    def __init__(self) -> None:
        self.started: list[JobKind] = []
        self.ended: list[tuple[JobKind, str]] = []
        self.running: Callable[[], int] = int

    def watch(self, running: Callable[[], int]) -> None:
        self.running = running

    def job_started(self, kind: JobKind) -> None:
        self.started.append(kind)

    def job_ended(self, kind: JobKind, outcome: str) -> None:
        self.ended.append((kind, outcome))


async def test_every_started_job_is_counted_once_at_its_end(clock: ManualClock, budget: SpoolBudget) -> None:
    counter = Counted()
    jobs = Jobs(clock, budget, watch_nobody, keep_s=KEEP_S, per_user=9, observer=counter)
    await end_of(jobs.start(wanted()))
    await end_of(jobs.start(wanted(fails=JobNotFound())))
    hanging = [jobs.start(wanted(release=asyncio.Event())) for _ in range(2)]
    await asyncio.sleep(0)
    assert (len(counter.started), counter.running()) == (4, 2)
    jobs.remove(hanging[0])
    assert await hanging[0].work.ended_within(30)
    assert counter.running() == 1
    await jobs.aclose()
    assert counter.running() == 0
    assert [outcome for _, outcome in counter.ended] == [
        "ok",
        "job_not_found",
        "job_cancelled",
        "shutting_down",
    ]
    assert set(counter.started) == {kind for kind, _ in counter.ended} == {JobKind.DOCUMENT}


class Body:
    """An answer that a job's failure came from."""


async def test_a_failed_job_is_reported_without_keeping_its_error_alive(jobs: Jobs) -> None:
    async def make(_told: ReportProgress) -> Pdf:
        body = Body()
        raise JobNotFound(str(body)) from LookupError("below")

    with uncollected(JobNotFound, LookupError, Body) as remains:
        job = jobs.start(JobRequest(kind=JobKind.REPORT, owner="ana", menu="/x", make=make))
        assert await end_of(job) is JobState.FAILED
        assert await remains.names() == []
        assert job.error is not None
        assert job.error.cause == "LookupError: below"

"""How an endpoint answers with a job: 202, where it is told of, and what fails at once as what it is."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.jobs.jobs import JobKind, JobRequest, Jobs, JobState, Pdf, Snapshot
from erp_gateway.web.attachments import content_disposition
from servicekit.endpoint import Answer, Body, json_response
from servicekit.endpoint.declare import HeaderParam

RESPOND_ASYNC: Final = "respond-async"


def prefers_async(values: Iterable[str]) -> bool:
    """Tell whether the values of `Prefer` name `respond-async`; how long to wait (`wait`) counts nothing."""
    return any(
        preference.partition(";")[0].strip().casefold() == RESPOND_ASYNC
        for value in values
        for preference in value.split(",")
    )


FAULTS_WAITED_FOR_S: Final = 0.3
"""How long the answer is held back: what fails so early is answered as what it is, and leaves no job."""

EXAMPLE_ID: Final = "q6Xk0mXk1ZkVbGx2n3aB4Q"
EXAMPLE: Final = {
    "id": EXAMPLE_ID,
    "kind": JobKind.DOCUMENT.value,
    "state": JobState.RUNNING.value,
    "done": 1,
    "total": 12,
    "title": None,
    "createdAt": "2026-03-02T12:00:00.000Z",
    "endedAt": None,
    "expiresAt": None,
    "result": None,
    "error": None,
}
JOB: Final = Body(Snapshot, EXAMPLE)

PREFER: Final = HeaderParam(
    "Prefer", f"`{RESPOND_ASYNC}`: answer 202 with a job that makes it", RESPOND_ASYNC
)
ACCEPTED: Final = Answer(
    "It is being made; asked for with `Prefer: respond-async`.",
    JOB,
    {"Location": "The job", "Preference-Applied": f"`{RESPOND_ASYNC}`"},
)


async def answer_pdf(
    request: Request, jobs: Jobs, wanted: JobRequest, make: Callable[[], Awaitable[Pdf]]
) -> Response:
    """Answer a PDF, or with the job that makes it where the client prefers that.

    Args:
        request: of the client.
        jobs: long exports.
        wanted: the job.
        make: makes the PDF for a client that waits for it.

    Raises:
        ServiceError: the PDF, or the job, could not be made; or the job failed at once.
    """
    if prefers_async(request.headers.getlist("prefer")):
        return await _accept(jobs, wanted)
    pdf = await make()
    return Response(
        pdf.content,
        media_type="application/pdf",
        headers={"Content-Disposition": content_disposition(pdf.title, "pdf")},
    )


async def _accept(jobs: Jobs, request: JobRequest) -> Response:
    """Begin a job and answer with it."""
    job = jobs.start(request)
    await job.following.ended_within(FAULTS_WAITED_FOR_S)
    if job.error is not None:
        jobs.remove(job)
        raise job.error.again()
    return json_response(
        job.snapshot(),
        status=202,
        headers={"Location": f"/api/jobs/{job.id}", "Preference-Applied": RESPOND_ASYNC},
    )

"""Responses of endpoints that make PDFs: the PDF, or the job that makes it."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.jobs.job import JobRequest, Pdf
from erp_gateway.files.jobs.jobs import Jobs
from erp_gateway.files.jobs.shapes import PDF_TYPE, RESPOND_ASYNC
from erp_gateway.web.attachments import content_disposition
from servicekit.endpoint import json_response


def prefers_async(values: Iterable[str]) -> bool:
    """Return whether the values of `Prefer` name `respond-async`; `wait` is ignored."""
    return any(
        preference.partition(";")[0].strip().casefold() == RESPOND_ASYNC
        for value in values
        for preference in value.split(",")
    )


EARLY_FAILURE_S: Final = 0.3
"""Seconds for which the 202 is held back, so that an early failure gets its own status and leaves no job."""


async def answer_pdf(
    request: Request, jobs: Jobs, job_request: JobRequest, make: Callable[[], Awaitable[Pdf]]
) -> Response:
    """Respond with a PDF, or with a job if the client prefers that.

    Args:
        request: the client's request.
        jobs: all jobs.
        job_request: the job.
        make: creates the PDF if the client waits for it.

    Raises:
        ServiceError: the PDF or the job could not be made, or the job failed at once.
    """
    if prefers_async(request.headers.getlist("prefer")):
        return await _accept(jobs, job_request)
    pdf = await make()
    return Response(
        pdf.content,
        media_type=PDF_TYPE,
        headers={"Content-Disposition": content_disposition(pdf.title, "pdf")},
    )


async def _accept(jobs: Jobs, request: JobRequest) -> Response:
    job = jobs.start(request)
    await job.work.ended_within(EARLY_FAILURE_S)
    if job.error is not None:
        jobs.remove(job)
        raise job.error.without_traceback()
    return json_response(
        job.snapshot(),
        status=202,
        headers={"Location": f"/api/jobs/{job.id}", "Preference-Applied": RESPOND_ASYNC},
    )

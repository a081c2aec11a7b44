"""Responses of endpoints that make PDFs: the PDF, or the job that makes it."""

from collections.abc import Iterable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.jobs.job import JobRequest, Pdf
from erp_gateway.files.jobs.jobs import Jobs
from erp_gateway.files.jobs.shapes import PDF_TYPE, RESPOND_ASYNC
from erp_gateway.web.download_names import content_disposition
from servicekit.endpoint import json_response

EARLY_FAILURE_S: Final = 0.3
"""Seconds for which the 202 is held back, so that an early failure gets its own status and leaves no job."""


def wants_job(request: Request) -> bool:
    """Return whether the client prefers a job that makes the PDF: `Prefer: respond-async`."""
    return prefers_async(request.headers.getlist("prefer"))


def prefers_async(values: Iterable[str]) -> bool:
    """Return whether the values of `Prefer` name `respond-async`; `wait` is ignored."""
    return any(
        preference.partition(";")[0].strip().casefold() == RESPOND_ASYNC
        for value in values
        for preference in value.split(",")
    )


def pdf_response(pdf: Pdf) -> Response:
    """Answer with a PDF."""
    return Response(
        pdf.content,
        media_type=PDF_TYPE,
        headers={"Content-Disposition": content_disposition(pdf.title, "pdf")},
    )


async def start_job(jobs: Jobs, request: JobRequest) -> Response:
    """Start a job and answer with it.

    Raises:
        ServiceError: the job could not be started, or failed at once.
    """
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

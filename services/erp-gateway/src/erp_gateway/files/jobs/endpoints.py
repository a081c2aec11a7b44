"""`/api/jobs`: one's own long exports, how far they are, and what they made."""

import os
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Final

import msgspec
from attrs import define, frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.exports.budget import file_chunks
from erp_gateway.files.exports.pace import PaceRules
from erp_gateway.files.exports.response import FileResponse
from erp_gateway.files.jobs.errors import JobFailed, JobNotDone, JobNotFound
from erp_gateway.files.jobs.jobs import Job, JobRequest, Jobs, JobState, Pdf, Snapshot
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web.access import Access, Permissions, check_one_of, lasting_right, session_of
from erp_gateway.web.attachments import content_disposition
from servicekit.endpoint import Answer, Body, Endpoint, PathParam, json_response, path_param
from servicekit.endpoint.declare import HeaderParam
from servicekit.endpoint.event_stream import ACCEPT, EVENTS, stream, wants_events
from servicekit.endpoint.shapes import unstructure

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

JOB: Final = Body(Snapshot)

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
    await job.work.ended_within(FAULTS_WAITED_FOR_S)
    if job.error is not None:
        jobs.remove(job)
        raise job.error.without_traceback()
    return json_response(
        job.snapshot(),
        status=202,
        headers={"Location": f"/api/jobs/{job.id}", "Preference-Applied": RESPOND_ASYNC},
    )


_PDF: Final = "application/pdf"
_ID: Final = {"id": PathParam("The job", "q6Xk0mXk1ZkVbGx2n3aB4Q", {"type": "string", "maxLength": 64})}


@frozen(kw_only=True)
class JobList:
    """A person's jobs, the newest first."""

    items: tuple[Snapshot, ...]


@define(eq=False, repr=False)
class JobEndpoints:
    """Handlers of the jobs.

    Args:
        jobs: all of them.
        permissions: what web users may do.
        pace: what the client of a result must take.
    """

    _jobs: Jobs
    _permissions: Permissions
    _pace: PaceRules

    async def list_jobs(self, request: Request) -> Response:
        """Answer one's own jobs."""
        self._jobs.sweep()
        own = self._jobs.of(session_of(request).web_user)
        return json_response(JobList(items=tuple(job.snapshot() for job in own)))

    async def get_job(self, request: Request) -> Response:
        """Answer a job, or tell of it until it ends, or the session does."""
        job = self._find(request)
        if not wants_events(request):
            return json_response(job.snapshot())
        return stream(
            request,
            job.work,
            progress_json=_json,
            result_json=_json,
            check=lasting_right(request, partial(self._check_rights, job)),
        )

    async def get_result(self, request: Request) -> Response:
        """Answer what a job made."""
        job = self._find(request)
        self._check_rights(job)
        if job.state is JobState.RUNNING:
            raise JobNotDone
        if job.file is None or job.title is None:
            reason = "" if job.error is None else f" {job.error.detail}"
            raise JobFailed(f"{JobFailed.detail}{reason}")
        descriptor = os.dup(job.file.fileno())  # it may be let go meanwhile
        return FileResponse(
            file_chunks(descriptor),
            os.fstat(descriptor).st_size,
            {"Content-Type": _PDF, "Content-Disposition": content_disposition(job.title, "pdf")},
            self._pace,
            check=lasting_right(request, partial(self._check_rights, job)),
            close=partial(os.close, descriptor),
        )

    async def remove_job(self, request: Request) -> Response:
        """Give a job up, or delete what it made."""
        self._jobs.remove(self._find(request))
        return Response(status_code=204)

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the jobs."""
        return [
            Endpoint(
                "GET",
                "/api/jobs",
                self.list_jobs,
                access=Access.SESSION,
                summary="One's own jobs",
                description="Those that run, and those that ended within `EXPORT_KEEP_MINUTES`.",
                responses={200: Answer("The jobs, the newest first.", Body(JobList))},
            ),
            Endpoint(
                "GET",
                "/api/jobs/{id}",
                self.get_job,
                access=Access.SESSION,
                summary="A job",
                description=(
                    "With `Accept: text/event-stream` it is told of until it ends: events `progreso`, then "
                    "`resultado` with the job or `error` with a problem, which is `session_expired` once the "
                    "session has ended, and `permission_denied` once the right is gone. Leaving does not end "
                    "the job. Signing out, and a right that is taken away, do."
                ),
                path_params=_ID,
                headers=(ACCEPT,),
                responses={200: Answer("The job.", JOB, others=(EVENTS,))},
                errors=(JobNotFound,),
            ),
            Endpoint(
                "GET",
                "/api/jobs/{id}/result",
                self.get_result,
                access=Access.SESSION,
                summary="What a job made",
                description="Needs the right that its making took. It may be fetched again until it expires.",
                path_params=_ID,
                responses={
                    200: Answer(
                        "The PDF.",
                        Body({"type": "string", "contentMediaType": _PDF}, "%PDF-1.7 …", _PDF),
                        {"Content-Disposition": "Names the file after what it holds"},
                    )
                },
                errors=(JobNotFound, JobNotDone, JobFailed, PermissionDenied),
            ),
            Endpoint(
                "DELETE",
                "/api/jobs/{id}",
                self.remove_job,
                access=Access.SESSION,
                summary="Give a job up, or delete what it made",
                path_params=_ID,
                responses={204: Answer("It is no more.")},
                errors=(JobNotFound,),
            ),
        ]

    def _check_rights(self, job: Job) -> None:
        for routes in job.wanted.needed:
            check_one_of(self._permissions, job.wanted.owner, routes, key=job.id)

    def _find(self, request: Request) -> Job:
        return self._jobs.find(path_param(request, "id"), session_of(request).web_user)


def _json(snapshot: Snapshot) -> bytes:
    return msgspec.json.encode(unstructure(snapshot))

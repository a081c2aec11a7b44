"""`/api/jobs`: a user's own jobs, their progress and their results."""

import os
from functools import partial

import msgspec
from attrs import define
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.exports.pace import PaceRules
from erp_gateway.files.exports.response import FileResponse
from erp_gateway.files.exports.temporary_files import file_chunks
from erp_gateway.files.jobs.errors import JobFailed, JobNotDone, JobNotFound
from erp_gateway.files.jobs.job import Job, JobState, Snapshot
from erp_gateway.files.jobs.jobs import Jobs
from erp_gateway.files.jobs.shapes import JOB_BODY, JOB_ID, PDF_TYPE, JobList
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web.access import Access, Permissions, check_one_of, lasting_right, session_of
from erp_gateway.web.download_names import content_disposition
from servicekit.endpoint import Answer, Body, Endpoint, json_response, path_param
from servicekit.endpoint.event_stream import ACCEPT, EVENTS, stream, wants_events
from servicekit.endpoint.shapes import unstructure


@define(eq=False, repr=False)
class JobEndpoints:
    """Handlers of the jobs.

    Args:
        jobs: all jobs.
        permissions: rights of web users.
        pace: minimum speed of the client of a result.
    """

    _jobs: Jobs
    _permissions: Permissions
    _pace: PaceRules

    async def list_jobs(self, request: Request) -> Response:
        """Answer the caller's jobs."""
        self._jobs.sweep()
        own = self._jobs.of(session_of(request).user.name)
        return json_response(JobList(items=tuple(job.snapshot() for job in own)))

    async def get_job(self, request: Request) -> Response:
        """Answer a job, or send events until the job or the session ends."""
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
        """Answer the result of a job."""
        job = self._find(request)
        self._check_rights(job)
        if job.state is JobState.RUNNING:
            raise JobNotDone
        if job.file is None or job.title is None:
            reason = "" if job.error is None else f" {job.error.detail}"
            raise JobFailed(f"{JobFailed.detail}{reason}")
        descriptor = os.dup(job.file.fileno())  # the job may be removed while the client reads
        return FileResponse(
            file_chunks(descriptor),
            os.fstat(descriptor).st_size,
            {"Content-Type": PDF_TYPE, "Content-Disposition": content_disposition(job.title, "pdf")},
            self._pace,
            check=lasting_right(request, partial(self._check_rights, job)),
            close=partial(os.close, descriptor),
        )

    async def remove_job(self, request: Request) -> Response:
        """Cancel a job or delete its result."""
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
                path_params=JOB_ID,
                headers=(ACCEPT,),
                responses={200: Answer("The job.", JOB_BODY, others=(EVENTS,))},
                errors=(JobNotFound,),
            ),
            Endpoint(
                "GET",
                "/api/jobs/{id}/result",
                self.get_result,
                access=Access.SESSION,
                summary="Result of a job",
                description="Needs the right that its making took. It may be fetched again until it expires.",
                path_params=JOB_ID,
                responses={
                    200: Answer(
                        "The PDF.",
                        Body({"type": "string", "contentMediaType": PDF_TYPE}, "%PDF-1.7 …", PDF_TYPE),
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
                summary="Cancel a job, or delete its result",
                path_params=JOB_ID,
                responses={204: Answer("It is no more.")},
                errors=(JobNotFound,),
            ),
        ]

    def _check_rights(self, job: Job) -> None:
        for routes in job.request.needed_routes:
            check_one_of(self._permissions, job.request.owner, routes, key=job.id)

    def _find(self, request: Request) -> Job:
        return self._jobs.find(path_param(request, "id"), session_of(request).user.name)


def _json(snapshot: Snapshot) -> bytes:
    return msgspec.json.encode(unstructure(snapshot))

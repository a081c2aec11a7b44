"""`/api/jobs`: one's own long exports, how far they are, and what they made."""

import os
from collections.abc import AsyncIterator
from typing import Final

import msgspec
from attrs import define, field, frozen
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from erp_gateway.errors import PermissionDenied
from erp_gateway.exports.pace import PaceRules, send_download
from erp_gateway.jobs.errors import JobFailed, JobNotDone, JobNotFound
from erp_gateway.jobs.jobs import Job, Jobs, JobState, Snapshot
from erp_gateway.jobs.respond_async import EXAMPLE, EXAMPLE_ID, JOB
from erp_gateway.web.access import Access, Permissions, check_one_of, session_of
from erp_gateway.web.attachments import content_disposition
from erp_gateway.web.session import LiveSessions, SessionExpired
from servicekit.endpoint import Answer, Body, Endpoint, PathParam, json_response, path_param
from servicekit.endpoint.event_stream import ACCEPT, EVENTS, QUIET_S, stream, wants_events
from servicekit.endpoint.shapes import unstructure

_TAG: Final = "Jobs"
_PDF: Final = "application/pdf"
_CHUNK: Final = 64 * 1024
_ID: Final = {"id": PathParam("The job", EXAMPLE_ID, {"type": "string", "maxLength": 64})}


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
        sessions: whose streams of events end with them.
        pace: what the client of a result must take.
        quiet_s: pause after which a stream of events shows that it lives.
    """

    _jobs: Jobs
    _permissions: Permissions
    _sessions: LiveSessions
    _pace: PaceRules
    _quiet_s: float = field(default=QUIET_S, kw_only=True)

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
        session = session_of(request)

        def check() -> None:
            if self._sessions.find(session.web_user) != session:
                raise SessionExpired

        return stream(
            request,
            job.following,
            progress_json=_json,
            result_json=_json,
            quiet_s=self._quiet_s,
            check=check,
        )

    async def get_result(self, request: Request) -> Response:
        """Answer what a job made."""
        job = self._find(request)
        for routes in ((job.wanted.menu,), job.wanted.screens):
            check_one_of(self._permissions, job.wanted.owner, routes)
        if job.state is JobState.RUNNING:
            raise JobNotDone
        if job.file is None or job.title is None:
            reason = "" if job.error is None else f" {job.error.detail}"
            raise JobFailed(f"{JobFailed.detail}{reason}")
        return _FileResponse(os.dup(job.file.fileno()), job.title, self._pace)

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
                tag=_TAG,
                responses={200: Answer("The jobs, the newest first.", Body(JobList, {"items": [EXAMPLE]}))},
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
                    "session has ended. Leaving does not end the job."
                ),
                tag=_TAG,
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
                tag=_TAG,
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
                tag=_TAG,
                path_params=_ID,
                responses={204: Answer("It is no more.")},
                errors=(JobNotFound,),
            ),
        ]

    def _find(self, request: Request) -> Job:
        return self._jobs.find(path_param(request, "id"), session_of(request).web_user)


class _FileResponse(Response):
    """Sends a file that may be let go meanwhile.

    Args:
        descriptor: its own; it is closed in the end.
        title: names it for people.
        pace: what the client must take.
    """

    def __init__(self, descriptor: int, title: str, pace: PaceRules) -> None:
        super().__init__(media_type=_PDF)
        self._descriptor = descriptor
        self._pace = pace
        self.headers["content-length"] = str(os.fstat(descriptor).st_size)
        self.headers["content-disposition"] = content_disposition(title, "pdf")

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send_download(self, self._chunks(), self._pace, scope, send)
        finally:
            os.close(self._descriptor)

    async def _chunks(self) -> AsyncIterator[bytes]:
        done = 0
        while chunk := os.pread(self._descriptor, _CHUNK, done):
            done += len(chunk)
            yield chunk


def _json(snapshot: Snapshot) -> bytes:
    return msgspec.json.encode(unstructure(snapshot))

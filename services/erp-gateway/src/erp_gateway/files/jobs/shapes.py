"""Parameters, headers and answers of jobs for the API's description."""

from typing import Final

from attrs import frozen

from erp_gateway.files.jobs.job import Snapshot
from servicekit.endpoint import Answer, Body, PathParam
from servicekit.endpoint.declare import HeaderParam

RESPOND_ASYNC: Final = "respond-async"
PDF_TYPE: Final = "application/pdf"

JOB_BODY: Final = Body(Snapshot)

PREFER: Final = HeaderParam(
    "Prefer", f"`{RESPOND_ASYNC}`: answer 202 with a job that makes it", RESPOND_ASYNC
)
ACCEPTED: Final = Answer(
    "It is being made; asked for with `Prefer: respond-async`.",
    JOB_BODY,
    {"Location": "The job", "Preference-Applied": f"`{RESPOND_ASYNC}`"},
)
JOB_ID: Final = {"id": PathParam("The job", "q6Xk0mXk1ZkVbGx2n3aB4Q", {"type": "string", "maxLength": 64})}


@frozen(kw_only=True)
class JobList:
    """A person's jobs, the newest first."""

    items: tuple[Snapshot, ...]

# ruff: noqa: N818 - refusals are plain nouns
"""Errors of jobs."""

from typing import Final

from servicekit.errors import ServiceError, ShuttingDown


class JobNotFound(ServiceError):
    """There is no such long export of this user, or it has expired."""

    status = 404
    code = "job_not_found"
    detail = "No existe ese trabajo, o su plazo ya terminó."


class JobNotDone(ServiceError):
    """The result of a job was requested before it is ready."""

    status = 409
    code = "job_not_done"
    detail = "El trabajo todavía no termina."


class JobFailed(ServiceError):
    """The job ended without a result. Its `error` says why."""

    status = 409
    code = "job_failed"
    detail = "El trabajo terminó sin resultado."


class JobCancelled(ServiceError):
    """The owner deleted the job while it ran."""

    status = 409
    code = "job_cancelled"
    detail = "El trabajo fue cancelado."


class TooManyJobs(ServiceError):
    """The user has `EXPORT_JOBS_PER_USER` long exports. Delete one, or wait."""

    status = 429
    code = "too_many_jobs"
    detail = "Tiene demasiados trabajos. Descargue y elimine alguno, o espere a que venza."
    retry_after_s = 60


class JobsFull(ServiceError):
    """The service holds 256 long exports of all users."""

    status = 503
    code = "jobs_full"
    detail = "Hay demasiados trabajos en el servicio. Inténtelo de nuevo en unos minutos."
    retry_after_s = 60


START_ERRORS: Final[tuple[type[ServiceError], ...]] = (TooManyJobs, JobsFull, JobCancelled, ShuttingDown)
"""Errors of a request that starts a job, besides those of the same request without a job."""

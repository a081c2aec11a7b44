# ruff: noqa: N818 - refusals are plain nouns
"""What can go wrong with a job, as clients are told."""

from typing import Final

from servicekit.errors import ServiceError, ShuttingDown


class JobNotFound(ServiceError):
    """There is no such job, it is somebody else's, or it is over and its time has passed."""

    status = 404
    code = "job_not_found"
    detail = "No existe ese trabajo, o su plazo ya terminó."


class JobNotDone(ServiceError):
    """Its result is asked for before it is there."""

    status = 409
    code = "job_not_done"
    detail = "El trabajo todavía no termina."


class JobFailed(ServiceError):
    """It ended without a result; the sentence tells why, and so does the job's `error`."""

    status = 409
    code = "job_failed"
    detail = "El trabajo terminó sin resultado."


class JobCancelled(ServiceError):
    """Its owner had it end."""

    status = 409
    code = "job_cancelled"
    detail = "El trabajo fue cancelado."


class TooManyJobs(ServiceError):
    """The person has as many jobs as one may have, made or being made."""

    status = 429
    code = "too_many_jobs"
    detail = "Tiene demasiados trabajos. Descargue y elimine alguno, o espere a que venza."
    retry_after_s = 60


class JobsFull(ServiceError):
    """The service holds as many jobs as it may, of all people together."""

    status = 503
    code = "jobs_full"
    detail = "Hay demasiados trabajos en el servicio. Inténtelo de nuevo en unos minutos."
    retry_after_s = 60


START_ERRORS: Final[tuple[type[ServiceError], ...]] = (TooManyJobs, JobsFull, JobCancelled, ShuttingDown)
"""What a request that prefers to be answered by a job may end with, besides its usual faults."""

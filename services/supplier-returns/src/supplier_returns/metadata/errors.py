# ruff: noqa: N818 - the name of an error states the reason for the refusal
"""Reasons why a rebuild can't start."""

from servicekit.errors import ServiceError


class RebuildInProgress(ServiceError):
    """Another rebuild of the metadata is running."""

    status = 409
    code = "rebuild_in_progress"
    detail = "Ya hay una reconstrucción de metadatos en curso. Espere a que termine."

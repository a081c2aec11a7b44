# ruff: noqa: N818 - refusals are plain nouns
"""Why a rebuild can not begin."""

from servicekit.errors import ServiceError


class RebuildInProgress(ServiceError):
    """Another rebuild of the metadata is running."""

    status = 409
    code = "rebuild_in_progress"
    detail = "Ya hay una reconstrucción de metadatos en curso. Espere a que termine."

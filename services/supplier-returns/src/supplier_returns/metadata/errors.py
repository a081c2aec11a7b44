# ruff: noqa: N818 - refusals are plain nouns
"""Refusals of the metadata endpoints."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

from erpclient import ErpRefused
from servicekit.errors import ServiceError
from supplier_returns.web.error_map import lacking_right

_SUPERUSER: Final = "Superusuario"
"""What the ERP's window of users calls it; nobody else may define tables, fields and objects."""


class RebuildInProgress(ServiceError):
    """Another rebuild runs; metadata is changed by one at a time."""

    status = 409
    code = "rebuild_in_progress"
    detail = "Ya hay una reconstrucción de metadatos en curso. Espere a que termine."


@contextmanager
def superuser_needed() -> Iterator[None]:
    """Name what the user lacks where the ERP does not let them see or change definitions.

    Raises:
        ErpForbidden: in place of the ERP's 403.
    """
    try:
        yield
    except ErpRefused as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
        task = "ver y crear las tablas, los campos y el objeto de esta aplicación"
        raise lacking_right(error, task=task, right=_SUPERUSER) from error

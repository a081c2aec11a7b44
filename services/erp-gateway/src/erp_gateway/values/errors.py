# ruff: noqa: N818 - refusals are plain nouns
"""Errors that several features raise."""

from collections.abc import Iterable

from servicekit.errors import ServiceError


class PermissionDenied(ServiceError):
    """The user's menu permissions do not include the operation, or the right to read a record that the body
    names: see [References in bodies](docs/references.md).

    Args:
        subject: what was denied, for the audit: a resource, an action, a menu route or a route template.
        key: the record's key as the client wrote it, where there is one.
        references: registered resources that the request refers to and the user may not read.
    """

    status = 403
    code = "permission_denied"
    detail = "No tiene permiso para realizar esta operación."

    def __init__(self, subject: str = "", *, key: str | None = None, references: Iterable[str] = ()) -> None:
        super().__init__()
        self.subject = subject
        self.key = key
        self.references = tuple(references)

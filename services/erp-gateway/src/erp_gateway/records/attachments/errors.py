# ruff: noqa: N818 - refusals are plain nouns
"""Errors of attachments."""

from servicekit.errors import NotFound, ServiceError


class AttachmentsUnsupported(NotFound):
    """Records of this resource have no files."""

    code = "attachments_unsupported"
    detail = "Los registros de este recurso no tienen archivos adjuntos."


class AttachmentNotFound(NotFound):
    """The record has no file with this number."""

    code = "attachment_not_found"
    detail = "El registro no tiene un archivo adjunto con ese número."


class AttachmentExists(ServiceError):
    """The record already has a file of this name."""

    status = 409
    code = "attachment_exists"
    detail = "El registro ya tiene un archivo con ese nombre. Cambie el nombre del archivo."


class AttachmentTypeRefused(ServiceError):
    """The file's extension is not in `ATTACHMENT_EXTENSIONS`."""

    status = 415
    code = "attachment_type_refused"
    detail = "No se admiten archivos de este tipo."

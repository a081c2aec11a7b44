# ruff: noqa: N818 - refusals are plain nouns
"""What can go wrong with attachments, as clients are told."""

from servicekit.errors import NotFound, ServiceError


class AttachmentsUnsupported(NotFound):
    """Records of this resource have no attachments, or it does not declare them."""

    code = "attachments_unsupported"
    detail = "Los registros de este recurso no tienen archivos adjuntos."


class AttachmentNotFound(NotFound):
    """The record has no attachment of this number."""

    code = "attachment_not_found"
    detail = "El registro no tiene un archivo adjunto con ese número."


class AttachmentExists(ServiceError):
    """The record has a file of this name already."""

    status = 409
    code = "attachment_exists"
    detail = "El registro ya tiene un archivo con ese nombre. Cambie el nombre del archivo."


class AttachmentTypeRefused(ServiceError):
    """A file of a kind that the installation does not take; the sentence names those that it takes."""

    status = 415
    code = "attachment_type_refused"
    detail = "No se admiten archivos de este tipo."

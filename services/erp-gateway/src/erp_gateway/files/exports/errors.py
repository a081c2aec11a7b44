# ruff: noqa: N818 - refusals are plain nouns
"""What can go wrong with an export, as clients are told."""

from typing import Final

from servicekit.errors import ServiceError, ShuttingDown


class ExportTooLarge(ServiceError):
    """There are more rows than an export may have; the sentence tells how many it may."""

    status = 422
    code = "export_too_large"
    detail = "Hay más filas de las que se pueden exportar. Acote lo que pide."


class ExportChanged(ServiceError):
    """Records came or went while a list's pages were read: some might be missing or stand there twice."""

    status = 409
    code = "export_changed"
    detail = "Los registros cambiaron mientras se exportaban. Inténtelo de nuevo."


class ExportNoRoom(ServiceError):
    """The files of all exports together would be larger than the service may keep, or its disk is full."""

    status = 503
    code = "export_no_room"
    detail = "El archivo no cabe en el espacio de exportación del servicio. Acote lo que pide."


class ExportFailed(ServiceError):
    """The process that writes XLSX files ended without one; the log has why."""

    status = 500
    code = "export_failed"
    detail = "No se pudo generar el archivo. Si se repite, comunique el identificador de la solicitud."


class ExportQueueFull(ServiceError):
    """Too many exports wait already."""

    status = 503
    code = "export_queue_full"
    detail = "Hay demasiadas exportaciones en espera. Inténtelo de nuevo en unos momentos."


class ExportQueueTimeout(ServiceError):
    """No place came in time; nothing was read."""

    status = 503
    code = "export_queue_timeout"
    detail = "La exportación esperó demasiado su turno. Puede repetirla."


EXPORT_ERRORS: Final[tuple[type[ServiceError], ...]] = (
    ExportTooLarge,
    ExportNoRoom,
    ExportFailed,
    ExportQueueFull,
    ExportQueueTimeout,
    ShuttingDown,
)
"""What any export may end with."""

# ruff: noqa: N818 - refusals are plain nouns
"""Errors of exports."""

from typing import Final

from servicekit.errors import ServiceError, ShuttingDown


class ExportTooLarge(ServiceError):
    """There are more rows than `EXPORT_MAX_ROWS` or the query's own limit, or a report's query was truncated.
    The text gives the limit.
    """

    status = 422
    code = "export_too_large"
    detail = "Hay más filas de las que se pueden exportar. Acote lo que pide."


class ExportChanged(ServiceError):
    """Records were added or removed while the pages of an exported list were read. Repeat the export."""

    status = 409
    code = "export_changed"
    detail = "Los registros cambiaron mientras se exportaban. Inténtelo de nuevo."


class ExportNoRoom(ServiceError):
    """`EXPORT_SPOOL_MB`, the user's half of it, or the disk is full."""

    status = 503
    code = "export_no_room"
    detail = "El archivo no cabe en el espacio de exportación del servicio. Acote lo que pide."


class ExportFailed(ServiceError):
    """The process that writes XLSX files ended without a file. The log says why."""

    status = 500
    code = "export_failed"
    detail = "No se pudo generar el archivo. Si se repite, comunique el identificador de la solicitud."


class ExportQueueFull(ServiceError):
    """Too many exports are waiting: 32 of this user, or 256 in total."""

    status = 503
    code = "export_queue_full"
    detail = "Hay demasiadas exportaciones en espera. Inténtelo de nuevo en unos momentos."


class ExportQueueTimeout(ServiceError):
    """The export waited longer than 60 s for its turn. Nothing was read."""

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
"""Errors of any export."""

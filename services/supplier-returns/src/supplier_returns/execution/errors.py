"""Reasons why a planning can't be executed, reprocessed or closed."""

# ruff: noqa: N818 - the name of an error states the reason for the refusal

from servicekit.errors import ServiceError


class NothingToReturn(ServiceError):
    """No document of the planning is pending."""

    status = 422
    code = "nothing_to_return"
    detail = "No hay documentos pendientes que devolver en esta planificación."


class DocumentNotFound(ServiceError):
    """The planning has no document with this number. `documento` repeats it."""

    status = 404
    code = "document_not_found"
    detail = "La planificación no tiene ese documento."


class DocumentNotPending(ServiceError):
    """The document was executed before. Reprocess it instead. `documento` names it."""

    status = 409
    code = "document_not_pending"
    detail = "El documento ya se ejecutó; use reprocesar."


class FenceRequired(ServiceError):
    """`HAS_BACKUP` is set and the [fence](docs/returns.md#execute) is not proved. Nothing was sent. `POST
    /api/metadata/rebuild` proves it. If that fails (`fence_not_proved` in the log), do without a second
    instance.
    """

    status = 503
    code = "fence_required"
    detail = (
        "Hay una segunda instancia de respaldo y el ERP aún no demostró que impide hacer dos veces una misma "
        "devolución. No se hizo nada: pida a un administrador que reconstruya los metadatos y repita."
    )
    retry_after_s = 300


class ExecutionInterrupted(ServiceError):
    """An execution was interrupted. Use `reprocesar` to look up its results."""

    status = 409
    code = "execution_interrupted"
    detail = "La ejecución anterior quedó interrumpida; use reprocesar para saber qué se hizo."


class BatchesRequired(ServiceError):
    """Batches or serial numbers must be picked first. `lineas` names the lines."""

    status = 422
    code = "batches_required"
    detail = "Hay líneas sin lotes o series elegidos; elíjalos antes de devolver."


class ReturnFieldsRequired(ServiceError):
    """Required fields of the return must be filled in first. `campos` names them."""

    status = 422
    code = "return_fields_required"
    detail = "Faltan datos de la devolución que se piden aquí; complételos antes de devolver."


class BinsUnsupported(ServiceError):
    """The warehouse uses bin locations. Make the return in the ERP."""

    status = 422
    code = "bins_unsupported"
    detail = "La bodega usa ubicaciones: prepare esta devolución en el ERP."


class DocumentsUncertain(ServiceError):
    """The result of some documents is still unknown. `documentos` names them. Reprocess before closing."""

    status = 409
    code = "documents_uncertain"
    detail = "Hay documentos de los que aún no se sabe si se crearon; reprocese antes de cerrar."


class NotClosed(ServiceError):
    """The ERP did not close the record. Repeat the closing."""

    status = 502
    code = "not_closed"
    detail = "Lo que no se devolvió ya se descartó, pero el ERP no cerró la planificación. Repita el cierre."

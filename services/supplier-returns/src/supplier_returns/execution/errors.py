"""Why a planning can't be executed, reprocessed or closed."""

# ruff: noqa: N818 - a refusal is named by what it says

from servicekit.errors import ServiceError


class NothingToReturn(ServiceError):
    """No document of the planning waits to be made."""

    status = 422
    code = "nothing_to_return"
    detail = "No hay documentos pendientes que devolver en esta planificación."


class DocumentNotFound(ServiceError):
    """The planning has no document of this number."""

    status = 404
    code = "document_not_found"
    detail = "La planificación no tiene ese documento."


class DocumentNotPending(ServiceError):
    """A document that was executed before is reprocessed, not executed."""

    status = 409
    code = "document_not_pending"
    detail = "El documento ya se ejecutó; use reprocesar."


class FenceRequired(ServiceError):
    """A second instance may take over, and the ERP has not proved that the fence keeps it from repeating."""

    status = 503
    code = "fence_required"
    detail = (
        "Hay una segunda instancia de respaldo y el ERP aún no demostró que impide hacer dos veces una misma "
        "devolución. No se hizo nada: pida a un administrador que reconstruya los metadatos y repita."
    )
    retry_after_s = 300


class ExecutionInterrupted(ServiceError):
    """An execution was cut off; reprocessing finds out what became of it."""

    status = 409
    code = "execution_interrupted"
    detail = "La ejecución anterior quedó interrumpida; use reprocesar para saber qué se hizo."


class BatchesRequired(ServiceError):
    """Batches or serial numbers have to be picked first; `lineas` names the lines."""

    status = 422
    code = "batches_required"
    detail = "Hay líneas sin lotes o series elegidos; elíjalos antes de devolver."


class ReturnFieldsRequired(ServiceError):
    """Required fields of the return have to be filled in first; `campos` names them."""

    status = 422
    code = "return_fields_required"
    detail = "Faltan datos de la devolución que se piden aquí; complételos antes de devolver."


class BinsUnsupported(ServiceError):
    """The warehouse keeps its stock in bins, which this service can't choose from."""

    status = 422
    code = "bins_unsupported"
    detail = "La bodega usa ubicaciones: prepare esta devolución en el ERP."


class DocumentsUncertain(ServiceError):
    """Nobody knows yet whether some documents exist in the ERP; `documentos` names them."""

    status = 409
    code = "documents_uncertain"
    detail = "Hay documentos de los que aún no se sabe si se crearon; reprocese antes de cerrar."


class NotClosed(ServiceError):
    """What was not made is dropped on record, and the ERP did not close the record; it is repeated."""

    status = 502
    code = "not_closed"
    detail = "Lo que no se devolvió ya se descartó, pero el ERP no cerró la planificación. Repita el cierre."

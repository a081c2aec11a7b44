"""Reasons why a planning can't be created, shown or changed."""

# ruff: noqa: N818 - the name of an error states the reason for the refusal

from decimal import Decimal

from servicekit.errors import ServiceError
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.quantities import quantity_text


class UnreadablePaste(ServiceError):
    """The pasted text has no two columns, or contains a second table with other columns."""

    status = 422
    code = "unreadable_paste"
    detail = "No se reconoce una tabla con códigos y cantidades en el texto pegado."


class ColumnsUnknown(ServiceError):
    """The code and quantity columns of the pasted table are not certain. `filas` has its first rows and
    `columnas` what each column may mean. Send `columnas` to decide.
    """

    status = 422
    code = "columns_unknown"
    detail = "No se reconoce qué columna tiene el código y cuál la cantidad. Indique las columnas."


class PasteTooLarge(ServiceError):
    """The pasted text is too large, or takes more than 20 s to read. `detail` says which."""

    status = 413
    code = "paste_too_large"
    detail = "El texto pegado es demasiado grande."


class UnknownWarehouse(ServiceError):
    """The ERP has no such warehouse, or it is inactive."""

    status = 422
    code = "unknown_warehouse"
    detail = "La bodega no existe o está inactiva en el ERP."


class PlanningTooLarge(ServiceError):
    """The plan has more lines, or touches more receipt lines, than one planning can hold."""

    status = 422
    code = "planning_too_large"
    detail = "La planificación abarca demasiadas líneas o recepciones; repártala en varias."


class PlanningNotFound(ServiceError):
    """There is no planning with this number."""

    status = 404
    code = "planning_not_found"
    detail = "La planificación no existe."


class LineNotFound(ServiceError):
    """The planning has no line with this number."""

    status = 404
    code = "line_not_found"
    detail = "La planificación no tiene esa línea."


class OpenPlanningExists(ServiceError):
    """The user has an open planning for this warehouse. `id` names it."""

    status = 409
    code = "open_planning_exists"
    detail = "Ya tiene una planificación abierta para esta bodega."


class StaleVersion(ServiceError):
    """The planning changed since you read it. `version` is the current one."""

    status = 409
    code = "stale_version"
    detail = "La planificación cambió mientras tanto; vuelva a abrirla antes de seguir."

    def __init__(self, version: int = 0) -> None:
        super().__init__(members={"version": version or None})


class PlanningClosed(ServiceError):
    """The planning is closed."""

    status = 409
    code = "planning_closed"
    detail = "La planificación está cerrada."


class PlanningInExecution(ServiceError):
    """An execution of the planning is running."""

    status = 409
    code = "in_progress"
    detail = "La planificación se está ejecutando."


class HeldByDocument(ServiceError):
    """The change affects a document that exists or may exist, or the planning is executed."""

    status = 409
    code = "held_by_document"
    detail = "Ya hay una devolución con esos datos; no se pueden cambiar."


class PicksMismatch(ServiceError):
    """The batches or serial numbers do not add up, are not in the warehouse, or are picked by another line.
    `detail` says which.
    """

    status = 422
    code = "picks_mismatch"
    detail = "Los lotes o series elegidos no corresponden a lo que se devuelve."

    @classmethod
    def in_sum(cls, picked: Decimal, allocated: Decimal) -> "PicksMismatch":
        """Return the error for picks with another sum than the allocated quantity."""
        return cls(f"Lo elegido suma {quantity_text(picked)}, pero se devuelven {quantity_text(allocated)}.")

    @classmethod
    def for_pick(cls, pick: Pick, available: Decimal) -> "PicksMismatch":
        """Return the error for a batch or serial number that is missing or insufficient."""
        if pick.serial is not None:
            return cls(f"La serie {pick.name} no está en la bodega, o ya se eligió.")
        if not available:
            return cls(f"El lote {pick.name} no está en la bodega, o ya se eligió todo en otra línea.")
        return cls(
            f"Del lote {pick.name} se pueden elegir {quantity_text(available)}, "
            f"no {quantity_text(pick.quantity)}."
        )


class MetadataMissing(ServiceError):
    """The ERP does not have the object that stores plannings. Rebuild the metadata."""

    status = 503
    code = "metadata_missing"
    detail = (
        "El ERP aún no está preparado para las planificaciones. "
        "Pida al administrador que reconstruya los metadatos."
    )
    retry_after_s = 300


class PlanningUnreadable(ServiceError):
    """Another program has damaged the planning's record in the ERP."""

    status = 502
    code = "planning_unreadable"
    detail = "El registro de la planificación en el ERP está incompleto o fue modificado por otro programa."


class PlanningBusy(ServiceError):
    """Too many plans are waiting to be computed, or this one waited 30 s."""

    status = 503
    code = "planning_busy"
    detail = "Hay demasiadas planificaciones en cálculo. Inténtelo de nuevo en unos segundos."

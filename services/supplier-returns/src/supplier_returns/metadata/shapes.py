"""Bodies of the metadata routes."""

from attrs import frozen

from supplier_returns.shape_fields import attribute


@frozen(kw_only=True)
class TableAnswer:
    """How a table stands."""

    nombre: str = attribute("name")
    estado: str = attribute("state")
    detalle: str | None = attribute("detail", default=None)


@frozen(kw_only=True)
class FieldAnswer:
    """How a field stands."""

    tabla: str = attribute("table")
    nombre: str = attribute("name")
    estado: str = attribute("state")
    detalle: str | None = attribute("detail", default=None)


@frozen(kw_only=True)
class ObjectAnswer:
    """How the object stands."""

    codigo: str = attribute("name")
    estado: str = attribute("state")
    detalle: str | None = attribute("detail", default=None)


@frozen(kw_only=True)
class QueryAnswer:
    """How a stored query stands; `versionInstalada` is null when it is missing."""

    nombre: str = attribute("query.code")
    version: int = attribute("query.version")
    version_instalada: int | None = attribute("version")
    estado: str


@frozen(kw_only=True)
class StatusAnswer:
    """How everything stands."""

    completo: bool
    tablas: tuple[TableAnswer, ...]
    campos: tuple[FieldAnswer, ...]
    objeto: ObjectAnswer
    consultas: tuple[QueryAnswer, ...]


@frozen(kw_only=True)
class RebuildBody:
    """Whether to change nothing and only say what would be done."""

    simular: bool = False


@frozen(kw_only=True)
class FailureAnswer:
    """What could not be brought in order."""

    nombre: str = attribute("name")
    mensaje: str = attribute("message")


@frozen(kw_only=True)
class RebuildAnswer:
    """What was done; `sinCambios` counts what was in order."""

    creados: tuple[str, ...] = attribute("created")
    actualizados: tuple[str, ...] = attribute("updated")
    sin_cambios: int = attribute("unchanged")
    errores: tuple[FailureAnswer, ...] = attribute("failures")
    pendiente_reinicio: tuple[str, ...] = attribute("pending_restart")
    mensaje: str | None = None

"""Request and response bodies of the metadata routes."""

from attrs import frozen

from supplier_returns.shape_fields import attribute


@frozen(kw_only=True)
class TableAnswer:
    """State of a table."""

    nombre: str = attribute("name")
    estado: str = attribute("state")
    detalle: str | None = attribute("detail", default=None)


@frozen(kw_only=True)
class FieldAnswer:
    """State of a field."""

    tabla: str = attribute("table")
    nombre: str = attribute("name")
    estado: str = attribute("state")
    detalle: str | None = attribute("detail", default=None)


@frozen(kw_only=True)
class ObjectAnswer:
    """State of the object."""

    codigo: str = attribute("name")
    estado: str = attribute("state")
    detalle: str | None = attribute("detail", default=None)


@frozen(kw_only=True)
class QueryAnswer:
    """State of a stored query. `versionInstalada` is null if the query is missing."""

    nombre: str = attribute("query.code")
    version: int = attribute("query.version")
    version_instalada: int | None = attribute("version")
    estado: str


@frozen(kw_only=True)
class StatusAnswer:
    """State of all definitions."""

    completo: bool
    tablas: tuple[TableAnswer, ...]
    campos: tuple[FieldAnswer, ...]
    objeto: ObjectAnswer
    consultas: tuple[QueryAnswer, ...]


@frozen(kw_only=True)
class RebuildBody:
    """Whether to list the steps without performing them."""

    simular: bool = False


@frozen(kw_only=True)
class FailureAnswer:
    """Definition that could not be created or changed."""

    nombre: str = attribute("name")
    mensaje: str = attribute("message")


@frozen(kw_only=True)
class RebuildAnswer:
    """Created and changed definitions. `sinCambios` counts the others that are correct."""

    creados: tuple[str, ...] = attribute("created")
    actualizados: tuple[str, ...] = attribute("updated")
    sin_cambios: int = attribute("unchanged")
    errores: tuple[FailureAnswer, ...] = attribute("failures")
    pendiente_reinicio: tuple[str, ...] = attribute("pending_restart")
    mensaje: str | None = None

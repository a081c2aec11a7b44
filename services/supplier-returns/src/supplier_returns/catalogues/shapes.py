"""Bodies that the catalogue routes answer."""

from typing import Literal

from attrs import frozen

from supplier_returns.shape_fields import attribute


@frozen(kw_only=True)
class WarehouseAnswer:
    """A warehouse; one with bins can be planned and not returned."""

    whs_code: str = attribute("code")
    nombre: str = attribute("name")
    ubicaciones: bool = attribute("has_bins")
    inactivo: bool


@frozen(kw_only=True)
class SeriesAnswer:
    """A numbering series of returns; `siguiente` is its next number."""

    serie: int = attribute("number")
    nombre: str = attribute("name")
    prefijo: str = attribute("prefix")
    siguiente: int | None = attribute("next_number")
    bloqueada: bool = attribute("is_locked")
    electronica: bool = attribute("is_electronic")


@frozen(kw_only=True)
class ValueAnswer:
    """A value to choose."""

    codigo: str = attribute("value")
    nombre: str = attribute("description")


@frozen(kw_only=True)
class AskedFieldAnswer:
    """A field of the return that a planning's header answers in `camposDevolucion`, as a text."""

    nombre: str = attribute("name")
    etiqueta: str = attribute("label")
    tipo: Literal["texto", "numero", "fecha"] = attribute("kind")
    obligatorio: bool = attribute("is_required")
    valores: tuple[ValueAnswer, ...]


@frozen(kw_only=True)
class CataloguesAnswer:
    """Everything that a form offers."""

    almacenes: tuple[WarehouseAnswer, ...]
    series: tuple[SeriesAnswer, ...]
    motivos: tuple[ValueAnswer, ...]
    ind_traslado: tuple[ValueAnswer, ...]
    tipo_despacho: tuple[ValueAnswer, ...]
    campos_devolucion: tuple[AskedFieldAnswer, ...]
    decimales_cantidad: int
    max_lineas: int

"""Response bodies of the catalogue routes."""

from typing import Literal

from attrs import frozen

from supplier_returns.shape_fields import attribute


@frozen(kw_only=True)
class WarehouseAnswer:
    """Warehouse. Returns from one with bin locations can be planned but not executed."""

    whs_code: str = attribute("code")
    nombre: str = attribute("name")
    ubicaciones: bool = attribute("has_bins")
    inactivo: bool


@frozen(kw_only=True)
class SeriesAnswer:
    """Numbering series of returns. `siguiente` is its next number."""

    serie: int = attribute("number")
    nombre: str = attribute("name")
    prefijo: str = attribute("prefix")
    siguiente: int | None = attribute("next_number")
    bloqueada: bool = attribute("is_locked")
    electronica: bool = attribute("is_electronic")


@frozen(kw_only=True)
class ValueAnswer:
    """Value of a choice."""

    codigo: str = attribute("value")
    nombre: str = attribute("description")


@frozen(kw_only=True)
class AskedFieldAnswer:
    """Field of the return that users fill in as a text in a planning's `camposDevolucion`."""

    nombre: str = attribute("name")
    etiqueta: str = attribute("label")
    tipo: Literal["texto", "numero", "fecha"] = attribute("kind")
    obligatorio: bool = attribute("is_required")
    valores: tuple[ValueAnswer, ...]


@frozen(kw_only=True)
class CataloguesAnswer:
    """All catalogues for forms."""

    almacenes: tuple[WarehouseAnswer, ...]
    series: tuple[SeriesAnswer, ...]
    motivos: tuple[ValueAnswer, ...]
    ind_traslado: tuple[ValueAnswer, ...]
    tipo_despacho: tuple[ValueAnswer, ...]
    campos_devolucion: tuple[AskedFieldAnswer, ...]
    decimales_cantidad: int
    max_lineas: int

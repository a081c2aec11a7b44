"""`GET /api/catalogos`, `GET /api/catalogos/almacenes`."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint, QueryParam, json_response, read_query
from servicekit.errors import FieldProblem, InvalidQuery
from supplier_returns.catalogues.service import CatalogueService, Series, Warehouse
from supplier_returns.metadata.definitions import ValidValue
from supplier_returns.web.access import Access, caller_of, session_of

_TAG: Final = "Catalogues"
_REFRESH: Final = QueryParam(
    "actualizar",
    "`true` asks the ERP again instead of answering what it said some minutes ago.",
    example="true",
    schema={"type": "string", "enum": ["true", "false"]},
)


@frozen(kw_only=True)
class WarehouseAnswer:
    """A warehouse; one with bins can be planned and not returned."""

    whs_code: str
    nombre: str
    ubicaciones: bool
    inactivo: bool


@frozen(kw_only=True)
class SeriesAnswer:
    """A numbering series of returns; `siguiente` is its next number."""

    serie: int
    nombre: str
    prefijo: str
    siguiente: int | None
    bloqueada: bool
    electronica: bool


@frozen(kw_only=True)
class ValueAnswer:
    """A value to choose."""

    codigo: str
    nombre: str


@frozen(kw_only=True)
class CataloguesAnswer:
    """Everything that a form offers."""

    almacenes: tuple[WarehouseAnswer, ...]
    series: tuple[SeriesAnswer, ...]
    motivos: tuple[ValueAnswer, ...]
    ind_traslado: tuple[ValueAnswer, ...]
    tipo_despacho: tuple[ValueAnswer, ...]
    decimales_cantidad: int
    max_lineas: int


_WAREHOUSE_EXAMPLE: Final = {
    "whsCode": "01",
    "nombre": "Bodega central",
    "ubicaciones": False,
    "inactivo": False,
}
_EXAMPLE: Final = {
    "almacenes": [_WAREHOUSE_EXAMPLE],
    "series": [
        {
            "serie": 71,
            "nombre": "Devol",
            "prefijo": "",
            "siguiente": 120,
            "bloqueada": False,
            "electronica": True,
        }
    ],
    "motivos": [{"codigo": "VENC", "nombre": "Vencido o por vencer"}],
    "indTraslado": [{"codigo": "7", "nombre": "Guía de devolución"}],
    "tipoDespacho": [{"codigo": "1", "nombre": "Por cuenta del receptor"}],
    "decimalesCantidad": 2,
    "maxLineas": 60,
}


class CatalogueEndpoints:
    """Handlers of the catalogue routes.

    Args:
        service: remembers.
        max_lines: lines of one return.
    """

    def __init__(self, service: CatalogueService, *, max_lines: int) -> None:
        self._service = service
        self._max_lines = max_lines

    def endpoints(self) -> list[Endpoint]:
        """Return both endpoints."""
        return [
            Endpoint(
                "GET",
                "/api/catalogos",
                self.show_all,
                access=Access.SESSION,
                summary="Everything that forms offer to choose from",
                description="Remembered for some minutes in each session.",
                tag=_TAG,
                query=(_REFRESH,),
                responses={200: Answer("The catalogues.", Body(CataloguesAnswer, _EXAMPLE))},
                errors=(InvalidQuery,),
            ),
            Endpoint(
                "GET",
                "/api/catalogos/almacenes",
                self.show_warehouses,
                access=Access.SESSION,
                summary="The warehouses",
                tag=_TAG,
                query=(_REFRESH,),
                responses={
                    200: Answer("All warehouses, by code.", Body(list[WarehouseAnswer], [_WAREHOUSE_EXAMPLE]))
                },
                errors=(InvalidQuery,),
            ),
        ]

    async def show_all(self, request: Request) -> Response:
        """Answer everything."""
        self._refresh(request)
        erp, caller, service = session_of(request).erp, caller_of(request), self._service
        return json_response(
            CataloguesAnswer(
                almacenes=_warehouses(await service.warehouses(erp, caller)),
                series=_series(await service.series(erp, caller)),
                motivos=_values(await service.valid_values(erp, caller, "Motivo")),
                ind_traslado=_values(await service.valid_values(erp, caller, "IndTras")),
                tipo_despacho=_values(await service.valid_values(erp, caller, "TipoDesp")),
                decimales_cantidad=await service.quantity_decimals(erp, caller),
                max_lineas=self._max_lines,
            )
        )

    async def show_warehouses(self, request: Request) -> Response:
        """Answer the warehouses."""
        self._refresh(request)
        found = await self._service.warehouses(session_of(request).erp, caller_of(request))
        return json_response(list(_warehouses(found)))

    def _refresh(self, request: Request) -> None:
        """Forget what is remembered, when the request asks for that.

        Raises:
            InvalidQuery: the parameter is neither `true` nor `false`.
        """
        wanted = read_query(request).get("actualizar", "false")
        if wanted not in ("true", "false"):
            raise InvalidQuery(errors=[FieldProblem("actualizar", "Debe ser true o false.")])
        if wanted == "true":
            self._service.forget(session_of(request).erp)


def _warehouses(found: Sequence[Warehouse]) -> tuple[WarehouseAnswer, ...]:
    return tuple(
        WarehouseAnswer(
            whs_code=each.code, nombre=each.name, ubicaciones=each.has_bins, inactivo=not each.is_active
        )
        for each in found
    )


def _series(found: Sequence[Series]) -> tuple[SeriesAnswer, ...]:
    return tuple(
        SeriesAnswer(
            serie=each.number,
            nombre=each.name,
            prefijo=each.prefix,
            siguiente=each.next_number,
            bloqueada=each.is_locked,
            electronica=each.is_electronic,
        )
        for each in found
    )


def _values(found: Sequence[ValidValue]) -> tuple[ValueAnswer, ...]:
    return tuple(ValueAnswer(codigo=each.value, nombre=each.description) for each in found)

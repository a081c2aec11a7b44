"""`GET /api/catalogos`, `GET /api/catalogos/almacenes`."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint, QueryParam, json_response, read_query
from servicekit.errors import FieldProblem, InvalidQuery
from supplier_returns.catalogues.cache import CatalogueCache
from supplier_returns.catalogues.service import REASON_FIELD, Catalogues
from supplier_returns.catalogues.shapes import (
    AskedFieldAnswer,
    CataloguesAnswer,
    SeriesAnswer,
    ValueAnswer,
    WarehouseAnswer,
)
from supplier_returns.settings.custom_fields import CustomField
from supplier_returns.shape_fields import to_shape
from supplier_returns.web.access import Access
from supplier_returns.web.guard import caller_of, session_of

_REFRESH: Final = QueryParam(
    "actualizar",
    "`true` reads the values from the ERP instead of the cache.",
    example="true",
    schema={"type": "string", "enum": ["true", "false"]},
)


class CatalogueEndpoints:
    """Routes of the catalogues.

    Args:
        service: cache of catalogues.
        max_lines: maximum lines of one return.
    """

    def __init__(self, service: CatalogueCache, *, max_lines: int) -> None:
        self._service = service
        self._max_lines = max_lines

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoints."""
        return [
            Endpoint(
                "GET",
                "/api/catalogos",
                self.show_all,
                access=Access.SESSION,
                summary="List all catalogues for forms",
                description="The values are cached for some minutes in each session.",
                query=(_REFRESH,),
                responses={200: Answer("The catalogues.", Body(CataloguesAnswer))},
                errors=(InvalidQuery,),
            ),
            Endpoint(
                "GET",
                "/api/catalogos/almacenes",
                self.show_warehouses,
                access=Access.SESSION,
                summary="List the warehouses",
                query=(_REFRESH,),
                responses={200: Answer("All warehouses, by code.", Body(list[WarehouseAnswer]))},
                errors=(InvalidQuery,),
            ),
        ]

    async def show_all(self, request: Request) -> Response:
        """Answer GET /catalogos."""
        catalogues = self._catalogues(request)

        async def values(name: str) -> tuple[ValueAnswer, ...]:
            return tuple(to_shape(ValueAnswer, each) for each in await catalogues.valid_values(name))

        return json_response(
            CataloguesAnswer(
                almacenes=await _warehouses(catalogues),
                series=tuple(to_shape(SeriesAnswer, each) for each in await catalogues.series()),
                motivos=await values(REASON_FIELD),
                ind_traslado=await values("IndTras"),
                tipo_despacho=await values("TipoDesp"),
                campos_devolucion=tuple(map(_custom_field_of, await catalogues.custom_fields())),
                decimales_cantidad=await catalogues.quantity_decimals(),
                max_lineas=self._max_lines,
            )
        )

    async def show_warehouses(self, request: Request) -> Response:
        """Answer GET /catalogos/almacenes."""
        return json_response(list(await _warehouses(self._catalogues(request))))

    def _catalogues(self, request: Request) -> Catalogues:
        """Return the catalogues of the signed-in user, without cached values if the request says so.

        Raises:
            InvalidQuery: the parameter is neither `true` nor `false`.
        """
        refresh = read_query(request).get("actualizar", "false")
        if refresh not in ("true", "false"):
            raise InvalidQuery(errors=[FieldProblem("actualizar", "Debe ser true o false.")])
        catalogues = Catalogues(self._service, session_of(request).erp, caller_of(request))
        if refresh == "true":
            catalogues.forget()
        return catalogues


def _custom_field_of(field: CustomField) -> AskedFieldAnswer:
    values = tuple(ValueAnswer(codigo=code, nombre=name) for code, name in field.values.items())
    return to_shape(AskedFieldAnswer, field, valores=values)


async def _warehouses(catalogues: Catalogues) -> tuple[WarehouseAnswer, ...]:
    warehouses = await catalogues.warehouses()
    return tuple(to_shape(WarehouseAnswer, each, inactivo=not each.is_active) for each in warehouses)

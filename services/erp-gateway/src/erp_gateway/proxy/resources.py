"""The default set of resources and service actions; docs/resources.md lists them for people.

Names, keys, tags and collections are those of the Service Layer's metadata (version 10.0). Menu routes are
ours: who may read a screen holds its route (`/ventas/pedidos`), who may also write there holds
`/ventas/pedidos/*`, because writing asks for the route below it (`/ventas/pedidos/editar`). Any session may
read lookup catalogues.

Navigation properties that may be expanded lead to lookup catalogues only, so that nobody reads through
`$expand` what their menu does not show.
"""

from typing import Final

import attrs

from erp_gateway.proxy.columns import SHOWN, SINGULAR
from erp_gateway.proxy.registry import READ_WRITE, KnownPasswords, Resource
from erpclient.odata import CompositeKey, EntityKey, IntKey, StrKey

_CANCEL: Final = frozenset({"Cancel"})
_PASSWORDS: Final = {"BusinessPartners": frozenset({"Password"})}
"""Which of these resources hold passwords by their metadata: partners, and their contact persons inside."""


def _document(name: str, menu: str) -> Resource:
    """Declare a marketing document: numbered by `DocEntry`, with lines, tags and approval procedures.

    All of them and their drafts share the user fields of their head, so that one field traces them all.
    """
    return Resource(
        name=name,
        key=IntKey("DocEntry"),
        read_menu=menu,
        write_menu=f"{menu}/editar",
        methods=READ_WRITE,
        expand=frozenset({"SalesPerson", "PaymentTermsType"}),
        tagged=True,
        replaces_collections=True,
        printed=True,
        approvable=True,
        traced=True,
    )


def _transfer(name: str, menu: str) -> Resource:
    """Declare an inventory transfer: numbered by `DocEntry`, with lines, without tags."""
    return Resource(
        name=name,
        key=IntKey("DocEntry"),
        read_menu=menu,
        write_menu=f"{menu}/editar",
        methods=READ_WRITE,
        replaces_collections=True,
        printed=True,
        approvable=True,
    )


def _payment(name: str, menu: str) -> Resource:
    """Declare received or made payments: no tags, and they can be cancelled."""
    return Resource(
        name=name,
        key=IntKey("DocEntry"),
        read_menu=menu,
        write_menu=f"{menu}/editar",
        methods=READ_WRITE,
        actions=_CANCEL,
        replaces_collections=True,
        printed=True,
        approvable=True,
    )


def _catalogue(name: str, key: EntityKey) -> Resource:
    """Declare a lookup catalogue: any session reads it, nobody writes it through the gateway."""
    return Resource(name=name, key=key, read_menu=None, write_menu=None)


def _reference(name: str, key: EntityKey) -> Resource:
    """Declare a lookup catalogue that is small and rarely changed."""
    return attrs.evolve(_catalogue(name, key), reference=True)


_SALES: Final = (
    _document("Quotations", "/ventas/ofertas"),
    _document("Orders", "/ventas/pedidos"),
    _document("DeliveryNotes", "/ventas/entregas"),
    _document("Returns", "/ventas/devoluciones"),
    _document("ReturnRequest", "/ventas/solicitudes-devolucion"),
    _document("Invoices", "/ventas/facturas"),
    _document("DownPayments", "/ventas/anticipos"),
    _document("CreditNotes", "/ventas/notas-credito"),
)

_PURCHASING: Final = (
    _document("PurchaseRequests", "/compras/solicitudes"),
    _document("PurchaseQuotations", "/compras/ofertas"),
    _document("PurchaseOrders", "/compras/pedidos"),
    _document("PurchaseDeliveryNotes", "/compras/entradas"),
    _document("GoodsReturnRequest", "/compras/solicitudes-devolucion"),
    _document("PurchaseReturns", "/compras/devoluciones"),
    _document("PurchaseInvoices", "/compras/facturas"),
    _document("PurchaseDownPayments", "/compras/anticipos"),
    _document("PurchaseCreditNotes", "/compras/notas-credito"),
)

_INVENTORY: Final = (
    Resource(
        name="Items",
        key=StrKey("ItemCode"),
        read_menu=None,
        write_menu="/inventario/articulos/editar",
        methods=READ_WRITE,
        expand=frozenset({"ItemGroups", "Manufacturer2"}),
        tagged=True,
        replaces_collections=True,
    ),
    Resource(
        name="Warehouses",
        key=StrKey("WarehouseCode"),
        read_menu=None,
        write_menu="/inventario/almacenes/editar",
        methods=READ_WRITE,
        reference=True,
    ),
    _document("InventoryGenEntries", "/inventario/entradas"),
    _document("InventoryGenExits", "/inventario/salidas"),
    _transfer("StockTransfers", "/inventario/traslados"),
    _transfer("InventoryTransferRequests", "/inventario/solicitudes-traslado"),
    Resource(
        name="BatchNumberDetails", key=IntKey("DocEntry"), read_menu="/inventario/lotes", write_menu=None
    ),
    Resource(
        name="SerialNumberDetails", key=IntKey("DocEntry"), read_menu="/inventario/series", write_menu=None
    ),
    Resource(
        name="SpecialPrices",
        key=CompositeKey((StrKey("CardCode"), StrKey("ItemCode"))),
        read_menu="/ventas/precios-especiales",
        write_menu="/ventas/precios-especiales/editar",
        methods=READ_WRITE,
        replaces_collections=True,
    ),
)

_PARTNERS: Final = (
    Resource(
        name="BusinessPartners",
        key=StrKey("CardCode"),
        read_menu="/socios",
        write_menu="/socios/editar",
        methods=READ_WRITE,
        expand=frozenset({"BusinessPartnerGroup", "PaymentTermsType", "PriceList", "SalesPerson"}),
        tagged=True,
        replaces_collections=True,
    ),
    Resource(
        name="Activities",
        key=IntKey("ActivityCode"),
        read_menu="/socios/actividades",
        write_menu="/socios/actividades/editar",
        methods=READ_WRITE,
        tagged=True,
        replaces_collections=True,
    ),
)

_FINANCE: Final = (
    _payment("IncomingPayments", "/bancos/cobros"),
    _payment("VendorPayments", "/bancos/pagos"),
    Resource(
        name="JournalEntries",
        key=IntKey("JdtNum"),
        read_menu="/finanzas/asientos",
        write_menu="/finanzas/asientos/editar",
        methods=READ_WRITE,
        actions=_CANCEL,
        printed=True,
        replaces_collections=True,
    ),
)

# A draft is what an approval procedure makes; making one can't be caught by it again.
_DRAFTS: Final = (attrs.evolve(_document("Drafts", "/borradores"), approvable=False),)

_CATALOGUES: Final = (
    attrs.evolve(_catalogue("AdditionalExpenses", IntKey("ExpensCode")), tagged=True),
    _catalogue("BarCodes", IntKey("AbsEntry")),
    _catalogue("BinLocations", IntKey("AbsEntry")),
    _reference("Branches", IntKey("Code")),
    _reference("BusinessPartnerGroups", IntKey("Code")),
    _reference("BusinessPlaces", IntKey("BPLID")),
    _catalogue("ChartOfAccounts", StrKey("Code")),
    _reference("Countries", StrKey("Code")),
    _reference("Currencies", StrKey("Code")),
    _reference("Dimensions", IntKey("DimensionCode")),
    _reference("DistributionRules", StrKey("FactorCode")),
    _reference("Industries", IntKey("IndustryCode")),
    _reference("ItemGroups", IntKey("Number")),
    _reference("Manufacturers", IntKey("Code")),
    _reference("PaymentTermsTypes", IntKey("GroupNumber")),
    _reference("PriceLists", IntKey("PriceListNo")),
    _reference("ProfitCenters", StrKey("CenterCode")),
    _catalogue("Projects", StrKey("Code")),
    _reference("SalesPersons", IntKey("SalesEmployeeCode")),
    _reference("ShippingTypes", IntKey("Code")),
    _reference("States", CompositeKey((StrKey("Country"), StrKey("Code")))),
    _reference("Territories", IntKey("TerritoryID")),
    _reference("UnitOfMeasurementGroups", IntKey("AbsEntry")),
    _reference("UnitOfMeasurements", IntKey("AbsEntry")),
    _reference("VatGroups", StrKey("Code")),
)

DEFAULT_RESOURCES: Final = tuple(
    attrs.evolve(
        resource,
        known_passwords=KnownPasswords(
            name=resource.name,
            expand=resource.expand,
            names=_PASSWORDS.get(resource.name, frozenset()),
        ),
        title=SHOWN[resource.name][0],
        singular=SINGULAR[resource.name],
        columns=SHOWN[resource.name][1],
    )
    for group in (_SALES, _PURCHASING, _INVENTORY, _PARTNERS, _FINANCE, _DRAFTS, _CATALOGUES)
    for resource in group
)
"""Every resource the product ships."""

DEFAULT_SERVICE_ACTIONS: Final = (
    "CompanyService_GetCompanyInfo",
    "SBOBobService_GetCurrencyRate",
    "SBOBobService_GetLocalCurrency",
    "SBOBobService_GetSystemCurrency",
    "SeriesService_GetDefaultSeries",
    "SeriesService_GetDocumentSeries",
)
"""Every service action the product ships; all of them only read."""

"""The default set of resources and service actions; docs/resources.md lists them for people.

Names, keys, tags and collections are those of the Service Layer's metadata (version 10.0). Menu routes are
ours: who may read a screen holds its route (`/ventas/pedidos`), who may also write there holds
`/ventas/pedidos/*`, because writing asks for the route below it (`/ventas/pedidos/editar`). Any session may
read lookup catalogues.

`$expand` reaches lookup catalogues only, because a user must not read records that their menu does not show.
"""

from functools import partial
from typing import Any, Final

import attrs

from erp_gateway.records.proxy.declarations.columns import (
    Column,
    Columns,
    choice,
    date,
    integer,
    number,
    text,
    yes_no,
)
from erp_gateway.records.proxy.declarations.resource import (
    CANCEL_BY_DOCUMENT,
    READ_WRITE,
    KnownPasswords,
    Resource,
)
from erp_gateway.records.proxy.declarations.service_action import ServiceAction
from erp_gateway.records.proxy.declarations.shared_columns import (
    ABS_ENTRY,
    ACTIVE,
    CARD_CODE,
    CARD_NAME,
    CODE,
    DESCRIPTION,
    DOC_ENTRY,
    DOCUMENT,
    ITEM_CODE,
    NAME,
    NUMERIC_CODE,
    PAYMENT,
    STOCK_DOCUMENT,
    TRANSFER,
)
from erpclient.odata import CompositeKey, EntityKey, IntKey, StrKey

_CANCEL: Final = frozenset({"Cancel"})
_CLOSE: Final = frozenset({"Close"})
_UNPOSTED: Final = frozenset({"Cancel", "Close", "Reopen"})
"""Actions of documents that post neither to stock nor to accounts: offers, orders and requests.

The metadata binds all four actions to every document. Documents that post are cancelled by another document;
the ERP refuses `Cancel` or posts without returning the new document, so they don't declare it."""
_GOODS: Final = frozenset({CANCEL_BY_DOCUMENT, "Close", "Reopen"})
"""Actions of documents that move goods: what is open of them can be closed."""
_INVOICED: Final = frozenset({CANCEL_BY_DOCUMENT})
"""Actions of documents that post to the partner's account: payments close them."""
_PASSWORDS: Final = {"BusinessPartners": frozenset({"Password"})}
"""Which of these resources hold passwords by their metadata: partners, and their contact persons inside."""


def _numbered(
    name: str, title: str, singular: str, menu: str, *, columns: Columns = DOCUMENT, **more: Any
) -> Resource:
    """Declare what is numbered by `DocEntry`, with lines and approval procedures."""
    return Resource(
        name=name,
        title=title,
        singular=singular,
        columns=columns,
        key=IntKey("DocEntry"),
        read_menu=menu,
        write_menu=f"{menu}/editar",
        methods=READ_WRITE,
        replaces_collections=True,
        printed=True,
        approvable=True,
        **more,
    )


_document: Final = partial(
    _numbered,
    expand=frozenset({"SalesPerson", "PaymentTermsType"}),
    tagged=True,
    traced=True,
    attachments=True,
)
"""Declares a marketing document, which has tags.

All of them and their drafts share the user fields of their head, so that one field traces them all."""

_transfer: Final = partial(_numbered, columns=TRANSFER, attachments=True)
"""Declares an inventory transfer, which has no tags."""

_payment: Final = partial(_numbered, columns=PAYMENT, actions=_CANCEL)
"""Declares received or made payments: no tags, and they can be cancelled."""


def _catalogue(
    name: str, title: str, singular: str, *columns: Column, key: EntityKey | None = None, **more: Any
) -> Resource:
    """Declare a lookup catalogue: any session may read it, and clients cannot write it.

    Its first column is its key, where no other is named.
    """
    first = IntKey if columns[0].type == "integer" else StrKey
    return Resource(
        name=name,
        title=title,
        singular=singular,
        columns=columns,
        key=key or first(columns[0].name),
        read_menu=None,
        write_menu=None,
        **more,
    )


_reference: Final = partial(_catalogue, reference=True)
"""Declares a lookup catalogue that is small and rarely changed."""


_sale: Final = partial(_document, partner="customer")
_purchase: Final = partial(_document, partner="supplier")

_SALES: Final = (
    _sale(
        "Quotations",
        "Ofertas de venta",
        "Oferta de venta",
        "/ventas/ofertas",
        object_type=23,
        actions=_UNPOSTED,
    ),
    _sale(
        "Orders", "Pedidos de venta", "Pedido de venta", "/ventas/pedidos", object_type=17, actions=_UNPOSTED
    ),
    _sale("DeliveryNotes", "Entregas", "Entrega", "/ventas/entregas", object_type=15, actions=_GOODS),
    _sale(
        "Returns",
        "Devoluciones de clientes",
        "Devolución de cliente",
        "/ventas/devoluciones",
        object_type=16,
        actions=_GOODS,
    ),
    _sale(
        "ReturnRequest",
        "Solicitudes de devolución de clientes",
        "Solicitud de devolución de cliente",
        "/ventas/solicitudes-devolucion",
        object_type=234_000_031,
        actions=_UNPOSTED,
    ),
    _sale(
        "Invoices",
        "Facturas de venta",
        "Factura de venta",
        "/ventas/facturas",
        object_type=13,
        actions=_INVOICED,
    ),
    _sale(
        "DownPayments",
        "Anticipos de clientes",
        "Anticipo de cliente",
        "/ventas/anticipos",
        object_type=203,
        actions=_INVOICED,
    ),
    _sale(
        "CreditNotes",
        "Notas de crédito de clientes",
        "Nota de crédito de cliente",
        "/ventas/notas-credito",
        object_type=14,
        actions=_INVOICED,
    ),
)

_PURCHASING: Final = (
    _document(
        "PurchaseRequests",
        "Solicitudes de compra",
        "Solicitud de compra",
        "/compras/solicitudes",
        object_type=1_470_000_113,
        actions=_UNPOSTED,
    ),
    _purchase(
        "PurchaseQuotations",
        "Ofertas de compra",
        "Oferta de compra",
        "/compras/ofertas",
        object_type=540_000_006,
        actions=_UNPOSTED,
    ),
    _purchase(
        "PurchaseOrders",
        "Pedidos de compra",
        "Pedido de compra",
        "/compras/pedidos",
        object_type=22,
        actions=_UNPOSTED,
    ),
    _purchase(
        "PurchaseDeliveryNotes",
        "Entradas de mercancías por compra",
        "Entrada de mercancías por compra",
        "/compras/entradas",
        object_type=20,
        actions=_GOODS,
    ),
    _purchase(
        "GoodsReturnRequest",
        "Solicitudes de devolución a proveedores",
        "Solicitud de devolución a proveedor",
        "/compras/solicitudes-devolucion",
        object_type=234_000_032,
        actions=_UNPOSTED,
    ),
    _purchase(
        "PurchaseReturns",
        "Devoluciones a proveedores",
        "Devolución a proveedor",
        "/compras/devoluciones",
        object_type=21,
        actions=_GOODS,
    ),
    _purchase(
        "PurchaseInvoices",
        "Facturas de compra",
        "Factura de compra",
        "/compras/facturas",
        object_type=18,
        actions=_INVOICED,
    ),
    _purchase(
        "PurchaseDownPayments",
        "Anticipos a proveedores",
        "Anticipo a proveedor",
        "/compras/anticipos",
        object_type=204,
        actions=_INVOICED,
    ),
    _purchase(
        "PurchaseCreditNotes",
        "Notas de crédito de proveedores",
        "Nota de crédito de proveedor",
        "/compras/notas-credito",
        object_type=19,
        actions=_INVOICED,
    ),
)

_INVENTORY: Final = (
    Resource(
        name="Items",
        title="Artículos",
        singular="Artículo",
        attachments=True,
        columns=(
            ITEM_CODE,
            text("ItemName", "Descripción", "name"),
            integer("ItemsGroupCode", "Grupo"),
            number("QuantityOnStock", "Existencias"),
            text("InventoryUOM", "Unidad"),
            yes_no("Valid", "Activo"),
        ),
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
        title="Bodegas",
        singular="Bodega",
        columns=(text("WarehouseCode", "Código", "code"), text("WarehouseName", "Nombre", "name")),
        key=StrKey("WarehouseCode"),
        read_menu=None,
        write_menu="/inventario/almacenes/editar",
        methods=READ_WRITE,
        reference=True,
    ),
    _document(
        "InventoryGenEntries",
        "Entradas de inventario",
        "Entrada de inventario",
        "/inventario/entradas",
        columns=STOCK_DOCUMENT,
        object_type=59,
    ),
    _document(
        "InventoryGenExits",
        "Salidas de inventario",
        "Salida de inventario",
        "/inventario/salidas",
        columns=STOCK_DOCUMENT,
        object_type=60,
    ),
    _transfer(
        "StockTransfers", "Traslados", "Traslado", "/inventario/traslados", object_type=67, actions=_CANCEL
    ),
    _transfer(
        "InventoryTransferRequests",
        "Solicitudes de traslado",
        "Solicitud de traslado",
        "/inventario/solicitudes-traslado",
        object_type=1_250_000_001,
        actions=_CLOSE,
    ),
    Resource(
        name="BatchNumberDetails",
        title="Lotes",
        singular="Lote",
        columns=(
            text("Batch", "Lote", "code"),
            ITEM_CODE,
            text("ItemDescription", "Descripción", "name"),
            DOC_ENTRY,
        ),
        key=IntKey("DocEntry"),
        read_menu="/inventario/lotes",
        write_menu=None,
    ),
    Resource(
        name="SerialNumberDetails",
        title="Números de serie",
        singular="Número de serie",
        columns=(
            text("SerialNumber", "Serie", "code"),
            ITEM_CODE,
            text("ItemDescription", "Descripción", "name"),
            DOC_ENTRY,
        ),
        key=IntKey("DocEntry"),
        read_menu="/inventario/series",
        write_menu=None,
    ),
    Resource(
        name="SpecialPrices",
        title="Precios especiales",
        singular="Precio especial",
        columns=(CARD_CODE, ITEM_CODE, number("Price", "Precio"), text("Currency", "Moneda")),
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
        title="Socios de negocios",
        singular="Socio de negocios",
        attachments=True,
        columns=(
            CARD_CODE,
            CARD_NAME,
            choice("CardType", "Tipo", cCustomer="Cliente", cSupplier="Proveedor", cLid="Cliente potencial"),
            text("FederalTaxID", "Número de identificación fiscal", "code"),
            text("Phone1", "Teléfono"),
            text("EmailAddress", "Correo"),
            number("CurrentAccountBalance", "Saldo"),
            yes_no("Valid", "Activo"),
        ),
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
        title="Actividades",
        singular="Actividad",
        attachments=True,
        columns=(
            integer("ActivityCode", "Número", "code"),
            date("ActivityDate", "Fecha"),
            CARD_CODE,
            text("Details", "Detalle", "name"),
            yes_no("Closed", "Cerrada"),
        ),
        key=IntKey("ActivityCode"),
        read_menu="/socios/actividades",
        write_menu="/socios/actividades/editar",
        methods=READ_WRITE,
        tagged=True,
        replaces_collections=True,
    ),
)

_FINANCE: Final = (
    _payment("IncomingPayments", "Cobros", "Cobro", "/bancos/cobros"),
    _payment("VendorPayments", "Pagos", "Pago", "/bancos/pagos"),
    Resource(
        name="JournalEntries",
        title="Asientos",
        singular="Asiento",
        columns=(
            integer("JdtNum", "Número", "code"),
            date("ReferenceDate", "Fecha"),
            text("Memo", "Glosa", "name"),
        ),
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
_DRAFTS: Final = (
    attrs.evolve(_document("Drafts", "Borradores", "Borrador", "/borradores"), approvable=False),
)

_CATALOGUES: Final = (
    _catalogue(
        "AdditionalExpenses",
        "Gastos adicionales",
        "Gasto adicional",
        integer("ExpensCode", "Código", "code"),
        NAME,
        tagged=True,
    ),
    _catalogue(
        "BarCodes",
        "Códigos de barras",
        "Código de barras",
        ABS_ENTRY,
        text("ItemNo", "Artículo", "code"),
        text("Barcode", "Código", "code"),
    ),
    _catalogue(
        "BinLocations",
        "Ubicaciones",
        "Ubicación",
        ABS_ENTRY,
        text("BinCode", "Código", "code"),
        text("Warehouse", "Bodega"),
        DESCRIPTION,
    ),
    _reference(
        "Branches", "Sucursales de empleados", "Sucursal de empleados", NUMERIC_CODE, NAME, DESCRIPTION
    ),
    _reference("BusinessPartnerGroups", "Grupos de socios", "Grupo de socios", NUMERIC_CODE, NAME),
    _reference(
        "BusinessPlaces",
        "Sucursales",
        "Sucursal",
        integer("BPLID", "Código", "code"),
        text("BPLName", "Nombre", "name"),
    ),
    _catalogue("ChartOfAccounts", "Plan de cuentas", "Cuenta", CODE, NAME, number("Balance", "Saldo")),
    _reference("Countries", "Países", "País", CODE, NAME),
    _reference("Currencies", "Monedas", "Moneda", CODE, NAME),
    _reference(
        "Dimensions",
        "Dimensiones",
        "Dimensión",
        integer("DimensionCode", "Código", "code"),
        text("DimensionDescription", "Descripción", "name"),
    ),
    _reference(
        "DistributionRules",
        "Normas de reparto",
        "Norma de reparto",
        text("FactorCode", "Código", "code"),
        text("FactorDescription", "Descripción", "name"),
        ACTIVE,
    ),
    _reference(
        "Industries",
        "Sectores",
        "Sector",
        integer("IndustryCode", "Código", "code"),
        text("IndustryName", "Nombre", "name"),
    ),
    _reference(
        "ItemGroups",
        "Grupos de artículos",
        "Grupo de artículos",
        integer("Number", "Código", "code"),
        text("GroupName", "Nombre", "name"),
    ),
    _reference(
        "Manufacturers", "Fabricantes", "Fabricante", NUMERIC_CODE, text("ManufacturerName", "Nombre", "name")
    ),
    _reference(
        "PaymentTermsTypes",
        "Condiciones de pago",
        "Condición de pago",
        integer("GroupNumber", "Código", "code"),
        text("PaymentTermsGroupName", "Nombre", "name"),
    ),
    _reference(
        "PriceLists",
        "Listas de precios",
        "Lista de precios",
        integer("PriceListNo", "Código", "code"),
        text("PriceListName", "Nombre", "name"),
        ACTIVE,
    ),
    _reference(
        "ProfitCenters",
        "Centros de costo",
        "Centro de costo",
        text("CenterCode", "Código", "code"),
        text("CenterName", "Nombre", "name"),
        ACTIVE,
    ),
    _catalogue("Projects", "Proyectos", "Proyecto", CODE, NAME, ACTIVE),
    _reference(
        "SalesPersons",
        "Vendedores",
        "Vendedor",
        integer("SalesEmployeeCode", "Código", "code"),
        text("SalesEmployeeName", "Nombre", "name"),
        ACTIVE,
    ),
    _reference("ShippingTypes", "Formas de envío", "Forma de envío", NUMERIC_CODE, NAME),
    _reference(
        "States",
        "Regiones",
        "Región",
        text("Country", "País"),
        CODE,
        NAME,
        key=CompositeKey((StrKey("Country"), StrKey("Code"))),
    ),
    _reference(
        "Territories", "Territorios", "Territorio", integer("TerritoryID", "Código", "code"), DESCRIPTION
    ),
    _reference(
        "UnitOfMeasurementGroups",
        "Grupos de unidades de medida",
        "Grupo de unidades de medida",
        ABS_ENTRY,
        CODE,
        NAME,
    ),
    _reference("UnitOfMeasurements", "Unidades de medida", "Unidad de medida", ABS_ENTRY, CODE, NAME),
    _reference("VatGroups", "Indicadores de impuestos", "Indicador de impuestos", CODE, NAME),
)

DEFAULT_RESOURCES: Final = tuple(
    attrs.evolve(
        resource,
        known_passwords=KnownPasswords(
            name=resource.name,
            expand=resource.expand,
            names=_PASSWORDS.get(resource.name, frozenset()),
        ),
    )
    for group in (_SALES, _PURCHASING, _INVENTORY, _PARTNERS, _FINANCE, _DRAFTS, _CATALOGUES)
    for resource in group
)
"""Every resource the product ships."""

_DOCUMENT_TYPE: Final = ("DocumentTypeParams.Document", "DocumentTypeParams.DocumentSubType")

DEFAULT_SERVICE_ACTIONS: Final = (
    ServiceAction("CompanyService_GetCompanyInfo"),
    ServiceAction("SBOBobService_GetCurrencyRate", ("Currency", "Date")),
    ServiceAction("SBOBobService_GetLocalCurrency"),
    ServiceAction("SBOBobService_GetSystemCurrency"),
    ServiceAction("SeriesService_GetDefaultSeries", _DOCUMENT_TYPE),
    ServiceAction("SeriesService_GetDocumentSeries", _DOCUMENT_TYPE),
)
"""Every service action the product ships; all of them only read."""

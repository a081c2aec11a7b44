"""What a page shows of a resource before anybody chose: its title and columns, in Spanish. Pure values."""

from typing import Final, Literal, TypeAlias

from attrs import field, frozen

from erp_gateway.declared_place import line_of_declaration

ColumnType: TypeAlias = Literal["text", "integer", "number", "date", "choice"]


@frozen(kw_only=True)
class Choice:
    """One value of a column that has few, as the ERP writes it, and its name for people."""

    value: str
    title: str


@frozen(kw_only=True)
class Column:
    """One property worth a column in a table, a part of a filter, or a place in the order.

    Attributes:
        name: the property, spelt as the Service Layer spells it.
        title: what people call it, in Spanish.
        type: how its values are written and compared; a `choice` is compared as a text.
        choices: the values of a `choice`.
        declared_at: where it stands in its author's code, such as `queries.py, line 12`.
    """

    name: str
    title: str
    type: ColumnType
    choices: tuple[Choice, ...] = ()
    declared_at: str = field(factory=line_of_declaration, init=False, eq=False, repr=False)


def _text(name: str, title: str) -> Column:
    return Column(name=name, title=title, type="text")


def _integer(name: str, title: str) -> Column:
    return Column(name=name, title=title, type="integer")


def _number(name: str, title: str) -> Column:
    return Column(name=name, title=title, type="number")


def _date(name: str, title: str) -> Column:
    return Column(name=name, title=title, type="date")


def _choice(name: str, title: str, **choices: str) -> Column:
    named = tuple(Choice(value=value, title=choice) for value, choice in choices.items())
    return Column(name=name, title=title, type="choice", choices=named)


def _yes_no(name: str, title: str) -> Column:
    return _choice(name, title, tYES="Sí", tNO="No")


_DOC_ENTRY: Final = _integer("DocEntry", "Número interno")
_DOC_NUM: Final = _integer("DocNum", "Número")
_DOC_DATE: Final = _date("DocDate", "Fecha")
_CARD_CODE: Final = _text("CardCode", "Código del socio")
_CARD_NAME: Final = _text("CardName", "Nombre del socio")
_ITEM_CODE: Final = _text("ItemCode", "Artículo")
_CODE: Final = _text("Code", "Código")
_NUMERIC_CODE: Final = _integer("Code", "Código")
_ABS_ENTRY: Final = _integer("AbsEntry", "Número interno")
_NAME: Final = _text("Name", "Nombre")
_DESCRIPTION: Final = _text("Description", "Descripción")
_ACTIVE: Final = _yes_no("Active", "Activo")
_CANCELLED: Final = _yes_no("Cancelled", "Anulado")
_COMMENTS: Final = _text("Comments", "Comentarios")

_DOCUMENT: Final = (
    _DOC_NUM,
    _DOC_DATE,
    _date("DocDueDate", "Vencimiento"),
    _CARD_CODE,
    _CARD_NAME,
    _number("DocTotal", "Total"),
    _text("DocCurrency", "Moneda"),
    _choice("DocumentStatus", "Estado", bost_Open="Abierto", bost_Close="Cerrado"),
    _CANCELLED,
    _COMMENTS,
    _DOC_ENTRY,
)
_STOCK_DOCUMENT: Final = (_DOC_NUM, _DOC_DATE, _number("DocTotal", "Total"), _COMMENTS, _DOC_ENTRY)
_TRANSFER: Final = (
    _DOC_NUM,
    _DOC_DATE,
    _text("FromWarehouse", "Desde el almacén"),
    _text("ToWarehouse", "Hacia el almacén"),
    _CARD_NAME,
    _COMMENTS,
    _DOC_ENTRY,
)
_PAYMENT: Final = (
    _DOC_NUM,
    _DOC_DATE,
    _CARD_CODE,
    _CARD_NAME,
    _number("CashSum", "Efectivo"),
    _number("TransferSum", "Transferencia"),
    _text("DocCurrency", "Moneda"),
    _CANCELLED,
    _DOC_ENTRY,
)

_DOCUMENT_TITLES: Final = {
    "Quotations": "Ofertas de venta",
    "Orders": "Pedidos de venta",
    "DeliveryNotes": "Entregas",
    "Returns": "Devoluciones de clientes",
    "ReturnRequest": "Solicitudes de devolución de clientes",
    "Invoices": "Facturas de venta",
    "DownPayments": "Anticipos de clientes",
    "CreditNotes": "Notas de crédito de clientes",
    "PurchaseRequests": "Solicitudes de compra",
    "PurchaseQuotations": "Ofertas de compra",
    "PurchaseOrders": "Pedidos de compra",
    "PurchaseDeliveryNotes": "Entradas de mercancías por compra",
    "GoodsReturnRequest": "Solicitudes de devolución a proveedores",
    "PurchaseReturns": "Devoluciones a proveedores",
    "PurchaseInvoices": "Facturas de compra",
    "PurchaseDownPayments": "Anticipos a proveedores",
    "PurchaseCreditNotes": "Notas de crédito de proveedores",
    "Drafts": "Borradores",
}

_OTHERS: Final[dict[str, tuple[str, tuple[Column, ...]]]] = {
    "InventoryGenEntries": ("Entradas de inventario", _STOCK_DOCUMENT),
    "InventoryGenExits": ("Salidas de inventario", _STOCK_DOCUMENT),
    "StockTransfers": ("Traslados", _TRANSFER),
    "InventoryTransferRequests": ("Solicitudes de traslado", _TRANSFER),
    "IncomingPayments": ("Cobros", _PAYMENT),
    "VendorPayments": ("Pagos", _PAYMENT),
    "Items": (
        "Artículos",
        (
            _ITEM_CODE,
            _text("ItemName", "Descripción"),
            _integer("ItemsGroupCode", "Grupo"),
            _number("QuantityOnStock", "Existencias"),
            _text("InventoryUOM", "Unidad"),
            _yes_no("Valid", "Activo"),
        ),
    ),
    "Warehouses": ("Almacenes", (_text("WarehouseCode", "Código"), _text("WarehouseName", "Nombre"))),
    "BatchNumberDetails": (
        "Lotes",
        (_text("Batch", "Lote"), _ITEM_CODE, _text("ItemDescription", "Descripción"), _DOC_ENTRY),
    ),
    "SerialNumberDetails": (
        "Números de serie",
        (_text("SerialNumber", "Serie"), _ITEM_CODE, _text("ItemDescription", "Descripción"), _DOC_ENTRY),
    ),
    "SpecialPrices": (
        "Precios especiales",
        (_CARD_CODE, _ITEM_CODE, _number("Price", "Precio"), _text("Currency", "Moneda")),
    ),
    "BusinessPartners": (
        "Socios de negocios",
        (
            _CARD_CODE,
            _CARD_NAME,
            _choice("CardType", "Tipo", cCustomer="Cliente", cSupplier="Proveedor", cLid="Cliente potencial"),
            _text("FederalTaxID", "Número de identificación fiscal"),
            _text("Phone1", "Teléfono"),
            _text("EmailAddress", "Correo"),
            _number("CurrentAccountBalance", "Saldo"),
            _yes_no("Valid", "Activo"),
        ),
    ),
    "Activities": (
        "Actividades",
        (
            _integer("ActivityCode", "Número"),
            _date("ActivityDate", "Fecha"),
            _CARD_CODE,
            _text("Details", "Detalle"),
            _yes_no("Closed", "Cerrada"),
        ),
    ),
    "JournalEntries": (
        "Asientos",
        (_integer("JdtNum", "Número"), _date("ReferenceDate", "Fecha"), _text("Memo", "Glosa")),
    ),
    "AdditionalExpenses": ("Gastos adicionales", (_integer("ExpensCode", "Código"), _NAME)),
    "BarCodes": ("Códigos de barras", (_ABS_ENTRY, _text("ItemNo", "Artículo"), _text("Barcode", "Código"))),
    "BinLocations": (
        "Ubicaciones",
        (_ABS_ENTRY, _text("BinCode", "Código"), _text("Warehouse", "Almacén"), _DESCRIPTION),
    ),
    "Branches": ("Sucursales de empleados", (_NUMERIC_CODE, _NAME, _DESCRIPTION)),
    "BusinessPartnerGroups": ("Grupos de socios", (_NUMERIC_CODE, _NAME)),
    "BusinessPlaces": ("Sucursales", (_integer("BPLID", "Código"), _text("BPLName", "Nombre"))),
    "ChartOfAccounts": ("Plan de cuentas", (_CODE, _NAME, _number("Balance", "Saldo"))),
    "Countries": ("Países", (_CODE, _NAME)),
    "Currencies": ("Monedas", (_CODE, _NAME)),
    "Dimensions": (
        "Dimensiones",
        (_integer("DimensionCode", "Código"), _text("DimensionDescription", "Descripción")),
    ),
    "DistributionRules": (
        "Normas de reparto",
        (_text("FactorCode", "Código"), _text("FactorDescription", "Descripción"), _ACTIVE),
    ),
    "Industries": ("Sectores", (_integer("IndustryCode", "Código"), _text("IndustryName", "Nombre"))),
    "ItemGroups": ("Grupos de artículos", (_integer("Number", "Código"), _text("GroupName", "Nombre"))),
    "Manufacturers": ("Fabricantes", (_NUMERIC_CODE, _text("ManufacturerName", "Nombre"))),
    "PaymentTermsTypes": (
        "Condiciones de pago",
        (_integer("GroupNumber", "Código"), _text("PaymentTermsGroupName", "Nombre")),
    ),
    "PriceLists": (
        "Listas de precios",
        (_integer("PriceListNo", "Código"), _text("PriceListName", "Nombre"), _ACTIVE),
    ),
    "ProfitCenters": (
        "Centros de costo",
        (_text("CenterCode", "Código"), _text("CenterName", "Nombre"), _ACTIVE),
    ),
    "Projects": ("Proyectos", (_CODE, _NAME, _ACTIVE)),
    "SalesPersons": (
        "Vendedores",
        (_integer("SalesEmployeeCode", "Código"), _text("SalesEmployeeName", "Nombre"), _ACTIVE),
    ),
    "ShippingTypes": ("Formas de envío", (_NUMERIC_CODE, _NAME)),
    "States": ("Regiones", (_text("Country", "País"), _CODE, _NAME)),
    "Territories": ("Territorios", (_integer("TerritoryID", "Código"), _DESCRIPTION)),
    "UnitOfMeasurementGroups": ("Grupos de unidades de medida", (_ABS_ENTRY, _CODE, _NAME)),
    "UnitOfMeasurements": ("Unidades de medida", (_ABS_ENTRY, _CODE, _NAME)),
    "VatGroups": ("Indicadores de impuestos", (_CODE, _NAME)),
}

SHOWN: Final[dict[str, tuple[str, tuple[Column, ...]]]] = {
    **{name: (title, _DOCUMENT) for name, title in _DOCUMENT_TITLES.items()},
    **_OTHERS,
}
"""Title and columns of every resource the product ships."""

SINGULAR: Final[dict[str, str]] = {
    "Quotations": "Oferta de venta",
    "Orders": "Pedido de venta",
    "DeliveryNotes": "Entrega",
    "Returns": "Devolución de cliente",
    "ReturnRequest": "Solicitud de devolución de cliente",
    "Invoices": "Factura de venta",
    "DownPayments": "Anticipo de cliente",
    "CreditNotes": "Nota de crédito de cliente",
    "PurchaseRequests": "Solicitud de compra",
    "PurchaseQuotations": "Oferta de compra",
    "PurchaseOrders": "Pedido de compra",
    "PurchaseDeliveryNotes": "Entrada de mercancías por compra",
    "GoodsReturnRequest": "Solicitud de devolución a proveedor",
    "PurchaseReturns": "Devolución a proveedor",
    "PurchaseInvoices": "Factura de compra",
    "PurchaseDownPayments": "Anticipo a proveedor",
    "PurchaseCreditNotes": "Nota de crédito de proveedor",
    "Drafts": "Borrador",
    "InventoryGenEntries": "Entrada de inventario",
    "InventoryGenExits": "Salida de inventario",
    "StockTransfers": "Traslado",
    "InventoryTransferRequests": "Solicitud de traslado",
    "IncomingPayments": "Cobro",
    "VendorPayments": "Pago",
    "Items": "Artículo",
    "Warehouses": "Almacén",
    "BatchNumberDetails": "Lote",
    "SerialNumberDetails": "Número de serie",
    "SpecialPrices": "Precio especial",
    "BusinessPartners": "Socio de negocios",
    "Activities": "Actividad",
    "JournalEntries": "Asiento",
    "AdditionalExpenses": "Gasto adicional",
    "BarCodes": "Código de barras",
    "BinLocations": "Ubicación",
    "Branches": "Sucursal de empleados",
    "BusinessPartnerGroups": "Grupo de socios",
    "BusinessPlaces": "Sucursal",
    "ChartOfAccounts": "Cuenta",
    "Countries": "País",
    "Currencies": "Moneda",
    "Dimensions": "Dimensión",
    "DistributionRules": "Norma de reparto",
    "Industries": "Sector",
    "ItemGroups": "Grupo de artículos",
    "Manufacturers": "Fabricante",
    "PaymentTermsTypes": "Condición de pago",
    "PriceLists": "Lista de precios",
    "ProfitCenters": "Centro de costo",
    "Projects": "Proyecto",
    "SalesPersons": "Vendedor",
    "ShippingTypes": "Forma de envío",
    "States": "Región",
    "Territories": "Territorio",
    "UnitOfMeasurementGroups": "Grupo de unidades de medida",
    "UnitOfMeasurements": "Unidad de medida",
    "VatGroups": "Indicador de impuestos",
}
"""What one record of each is called."""

"""Queries of the company: each a text for the ERP's HANA, and one for the SQLite copy of the demo."""

from typing import Final

from erp_gateway.extensions import (
    Chart,
    Measure,
    OptionsQuery,
    ParameterInput,
    Query,
    QueryParameter,
    RecordLink,
)

_AMOUNT: Final = Measure(kind="amount")
_QUANTITY: Final = Measure(kind="quantity", by="unidad")
_ITEM: Final = RecordLink(resource="Items")
_PARTNER: Final = RecordLink(resource="BusinessPartners")

_WAREHOUSES: Final = """
    SELECT T0."WhsCode" AS "codigo", T0."WhsName" AS "nombre" FROM "OWHS" T0 ORDER BY T0."WhsCode"
"""

WAREHOUSES: Final = Query(
    name="bodegas",
    title="Bodegas",
    sql={"hana": _WAREHOUSES, "sqlite": _WAREHOUSES},
    max_rows=1000,
    total_order=("codigo",),
    titles={"codigo": "Código", "nombre": "Nombre"},
    links={"codigo": RecordLink(resource="Warehouses")},
)
"""Where goods lie: what the form of the stock offers."""

_STOCK: Final = """
    SELECT T0."ItemCode" AS "codigo", T1."ItemName" AS "articulo", T1."InvntryUom" AS "unidad",
           T0."OnHand" AS "fisico", T0."IsCommited" AS "comprometido", T0."OnOrder" AS "solicitado",
           T0."OnHand" - T0."IsCommited" + T0."OnOrder" AS "disponible"
    FROM "OITW" T0
    INNER JOIN "OITM" T1 ON T1."ItemCode" = T0."ItemCode"
    WHERE T0."WhsCode" = :bodega AND T0."OnHand" <> 0
    ORDER BY T0."ItemCode"
"""

STOCK_BY_WAREHOUSE: Final = Query(
    name="stock_por_bodega",
    title="Stock por bodega",
    sql={"hana": _STOCK, "sqlite": _STOCK},
    parameters=(
        QueryParameter(
            name="bodega",
            type="string",
            label="Bodega",
            input=ParameterInput(
                kind="select", options_from=OptionsQuery(query="bodegas", value="codigo", label="nombre")
            ),
        ),
    ),
    max_rows=500,
    total_order=("codigo",),
    titles={
        "codigo": "Código",
        "articulo": "Artículo",
        "unidad": "Unidad",
        "fisico": "En bodega",
        "comprometido": "Comprometido",
        "solicitado": "Pedido",
        "disponible": "Disponible",
    },
    measures=dict.fromkeys(("fisico", "comprometido", "solicitado", "disponible"), _QUANTITY),
    links={"codigo": _ITEM},
)
"""Any session may ask what lies in a warehouse."""

_OVERDUE: Final = """
    SELECT T0."DocEntry" AS "docEntry", T0."DocNum" AS "numero", T0."CardCode" AS "cliente",
           T1."CardName" AS "nombre", T1."Phone1" AS "telefono", {due} AS "vencimiento",
           {days} AS "diasVencida", T0."DocTotal" AS "total", T0."DocTotal" - T0."PaidToDate" AS "saldo"
    FROM "OINV" T0
    INNER JOIN "OCRD" T1 ON T1."CardCode" = T0."CardCode"
    WHERE T0."DocStatus" = 'O' AND T0."CANCELED" = 'N' AND T0."DocDueDate" < :fecha
    ORDER BY T0."DocDueDate", T0."DocEntry"
"""

OVERDUE_INVOICES: Final = Query(
    name="facturas_vencidas",
    title="Facturas vencidas a una fecha",
    sql={
        "hana": _OVERDUE.format(
            due="TO_VARCHAR(T0.\"DocDueDate\", 'YYYY-MM-DD')",
            days='DAYS_BETWEEN(T0."DocDueDate", :fecha)',
        ),
        "sqlite": _OVERDUE.format(
            due='date(T0."DocDueDate")',
            days='CAST(julianday(:fecha) - julianday(T0."DocDueDate") AS INTEGER)',
        ),
    },
    parameters=(
        QueryParameter(name="fecha", type="date", label="A la fecha", input=ParameterInput(default="hoy")),
    ),
    menu="/ventas/facturas",
    total_order=("docEntry",),
    titles={
        "docEntry": "Número interno",
        "numero": "Número",
        "cliente": "Cliente",
        "nombre": "Nombre",
        "telefono": "Teléfono",
        "vencimiento": "Vencimiento",
        "diasVencida": "Días de atraso",
        "total": "Total",
        "saldo": "Saldo",
    },
    measures={"total": _AMOUNT, "saldo": _AMOUNT},
    links={"numero": RecordLink(resource="Invoices", key="docEntry"), "cliente": _PARTNER},
)

_SALES: Final = """
    SELECT {month} AS "mes", T0."CardCode" AS "cliente", T2."CardName" AS "nombre",
           COUNT(DISTINCT T0."DocEntry") AS "facturas", SUM(T1."LineTotal") AS "neto"
    FROM "OINV" T0
    INNER JOIN "INV1" T1 ON T1."DocEntry" = T0."DocEntry"
    INNER JOIN "OCRD" T2 ON T2."CardCode" = T0."CardCode"
    WHERE T0."CANCELED" = 'N' AND T0."DocDate" >= :desde AND T0."DocDate" < {after}
    GROUP BY {month}, T0."CardCode", T2."CardName"
    ORDER BY 1, 2
"""

SALES_BY_MONTH_AND_CUSTOMER: Final = Query(
    name="ventas_por_mes_y_cliente",
    title="Ventas netas por mes y cliente",
    sql={
        "hana": _SALES.format(month="TO_VARCHAR(T0.\"DocDate\", 'YYYY-MM')", after="ADD_DAYS(:hasta, 1)"),
        "sqlite": _SALES.format(month='substr(T0."DocDate", 1, 7)', after="date(:hasta, '+1 day')"),
    },
    parameters=(
        QueryParameter(name="desde", type="date", label="Desde", input=ParameterInput(default="inicio_ano")),
        QueryParameter(
            name="hasta",
            type="date",
            label="Hasta",
            input=ParameterInput(default="hoy", not_before="desde"),
        ),
    ),
    menu="/ventas/informes",
    total_order=("mes", "cliente"),
    titles={
        "mes": "Mes",
        "cliente": "Cliente",
        "nombre": "Nombre",
        "facturas": "Facturas",
        "neto": "Neto",
    },
    measures={"neto": _AMOUNT},
    links={"cliente": _PARTNER},
    chart=Chart(x="mes", y="neto"),
)

_ORDER: Final = """
    SELECT T0."DocEntry" AS "docEntry", T0."DocNum" AS "numero", T0."DocDate" AS "fecha",
           T0."DocDueDate" AS "entrega", T0."CardName" AS "cliente", T0."LicTradNum" AS "rut",
           T0."NumAtCard" AS "referencia", T0."Comments" AS "comentarios", T0."DocStatus" AS "estado",
           T0."CANCELED" AS "anulado", T0."DiscSum" AS "descuento", T0."VatSum" AS "iva",
           T0."DocTotal" AS "total", T1."U_GIRO" AS "giro", T1."Phone1" AS "telefono",
           T2."SlpName" AS "vendedor", T3."Street" AS "direccion", T3."City" AS "ciudad"
    FROM "ORDR" T0
    INNER JOIN "OCRD" T1 ON T1."CardCode" = T0."CardCode"
    LEFT JOIN "OSLP" T2 ON T2."SlpCode" = T0."SlpCode" AND T2."SlpCode" > 0
    LEFT JOIN "CRD1" T3 ON T3."CardCode" = T0."CardCode" AND T3."Address" = T0."ShipToCode"
                       AND T3."AdresType" = 'S'
    WHERE T0."DocEntry" = :docEntry
"""

_ORDER_LINES: Final = """
    SELECT T0."ItemCode" AS "codigo", T0."Dscription" AS "descripcion", T0."Quantity" AS "cantidad",
           T0."unitMsr" AS "unidad", T0."Price" AS "precio", T0."DiscPrcnt" AS "descuento",
           T0."LineTotal" AS "total", T0."WhsCode" AS "bodega", T0."VatPrcnt" AS "impuesto"
    FROM "RDR1" T0
    WHERE T0."DocEntry" = :docEntry
    ORDER BY T0."LineNum"
"""

_DOCUMENT: Final = QueryParameter(
    name="docEntry", type="number", label="Número interno", input=ParameterInput(minimum=1)
)

ORDER: Final = Query(
    name="pedido",
    title="Encabezado de un pedido de venta",
    sql={"hana": _ORDER, "sqlite": _ORDER},
    parameters=(_DOCUMENT,),
    menu="/ventas/pedidos",
    max_rows=1,
    titles={"docEntry": "Número interno", "numero": "Número", "iva": "IVA", "rut": "RUT"},
)
ORDER_LINES: Final = Query(
    name="lineas_de_pedido",
    title="Líneas de un pedido de venta",
    sql={"hana": _ORDER_LINES, "sqlite": _ORDER_LINES},
    parameters=(_DOCUMENT,),
    menu="/ventas/pedidos",
    measures={"cantidad": _QUANTITY, "total": _AMOUNT},
    links={"codigo": _ITEM, "bodega": RecordLink(resource="Warehouses")},
)

_CUSTOMER: Final = """
    SELECT T0."CardCode" AS "codigo", T0."CardName" AS "nombre", T0."LicTradNum" AS "rut",
           T0."Phone1" AS "telefono", T0."E_Mail" AS "correo", T0."Balance" AS "saldo"
    FROM "OCRD" T0
    WHERE T0."CardCode" = :cliente
"""

_OPEN_DOCUMENTS: Final = """
    SELECT 'Factura' AS "documento", T0."DocEntry" AS "docEntry", T0."DocNum" AS "numero",
           {date} AS "fecha", {due} AS "vencimiento", {days} AS "diasVencida", T0."DocCur" AS "moneda",
           T0."DocTotal" AS "total", T0."DocTotal" - T0."PaidToDate" AS "saldo"
    FROM "OINV" T0
    WHERE T0."CardCode" = :cliente AND T0."DocStatus" = 'O' AND T0."CANCELED" = 'N'
      AND T0."DocDate" <= :fecha
    UNION ALL
    SELECT 'Nota de crédito', T0."DocEntry", T0."DocNum", {date}, {due}, {days}, T0."DocCur",
           0 - T0."DocTotal", T0."PaidToDate" - T0."DocTotal"
    FROM "ORIN" T0
    WHERE T0."CardCode" = :cliente AND T0."DocStatus" = 'O' AND T0."CANCELED" = 'N'
      AND T0."DocDate" <= :fecha
    ORDER BY 5, 1, 2
"""

_CODE: Final = QueryParameter(name="cliente", type="string", label="Cliente")

CUSTOMER: Final = Query(
    name="cliente",
    title="Ficha de un cliente",
    sql={"hana": _CUSTOMER, "sqlite": _CUSTOMER},
    parameters=(_CODE,),
    menu="/socios",
    max_rows=1,
    titles={"codigo": "Código", "rut": "RUT", "telefono": "Teléfono"},
    measures={"saldo": _AMOUNT},
)
OPEN_DOCUMENTS: Final = Query(
    name="documentos_abiertos",
    title="Facturas y notas de crédito abiertas de un cliente",
    sql={
        "hana": _OPEN_DOCUMENTS.format(
            date="TO_VARCHAR(T0.\"DocDate\", 'YYYY-MM-DD')",
            due="TO_VARCHAR(T0.\"DocDueDate\", 'YYYY-MM-DD')",
            days='DAYS_BETWEEN(T0."DocDueDate", :fecha)',
        ),
        "sqlite": _OPEN_DOCUMENTS.format(
            date='date(T0."DocDate")',
            due='date(T0."DocDueDate")',
            days='CAST(julianday(:fecha) - julianday(T0."DocDueDate") AS INTEGER)',
        ),
    },
    parameters=(
        _CODE,
        QueryParameter(name="fecha", type="date", label="A la fecha", input=ParameterInput(default="hoy")),
    ),
    menu="/ventas/facturas",
    titles={
        "documento": "Documento",
        "docEntry": "Número interno",
        "numero": "Número",
        "fecha": "Fecha",
        "vencimiento": "Vencimiento",
        "diasVencida": "Días de atraso",
        "moneda": "Moneda",
        "total": "Total",
        "saldo": "Saldo",
    },
    measures={"total": _AMOUNT, "saldo": _AMOUNT},
)
"""In local money: `PaidToDate` is. Credit notes count negative."""

QUERIES: Final = (
    WAREHOUSES,
    STOCK_BY_WAREHOUSE,
    OVERDUE_INVOICES,
    SALES_BY_MONTH_AND_CUSTOMER,
    ORDER,
    ORDER_LINES,
    CUSTOMER,
    OPEN_DOCUMENTS,
)

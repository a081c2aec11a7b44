"""Columns that several shipped resources declare."""

from typing import Final

from erp_gateway.records.proxy.declarations.columns import choice, date, integer, number, text, yes_no

DOC_ENTRY: Final = integer("DocEntry", "Número interno")
DOC_NUM: Final = integer("DocNum", "Número", "code")
DOC_DATE: Final = date("DocDate", "Fecha")
CARD_CODE: Final = text("CardCode", "Código del socio", "code")
CARD_NAME: Final = text("CardName", "Nombre del socio", "name")
ITEM_CODE: Final = text("ItemCode", "Artículo", "code")
CODE: Final = text("Code", "Código", "code")
NUMERIC_CODE: Final = integer("Code", "Código", "code")
ABS_ENTRY: Final = integer("AbsEntry", "Número interno")
NAME: Final = text("Name", "Nombre", "name")
DESCRIPTION: Final = text("Description", "Descripción", "name")
ACTIVE: Final = yes_no("Active", "Activo")
CANCELLED: Final = yes_no("Cancelled", "Anulado")
DOCUMENT_STATUS: Final = choice("DocumentStatus", "Estado", bost_Open="Abierto", bost_Close="Cerrado")
COMMENTS: Final = text("Comments", "Comentarios")

DOCUMENT: Final = (
    DOC_NUM,
    DOC_DATE,
    date("DocDueDate", "Vencimiento"),
    CARD_CODE,
    CARD_NAME,
    number("DocTotal", "Total"),
    text("DocCurrency", "Moneda"),
    DOCUMENT_STATUS,
    CANCELLED,
    COMMENTS,
    DOC_ENTRY,
    number("DocTotalFc", "Total en divisa"),
)
STOCK_DOCUMENT: Final = (DOC_NUM, DOC_DATE, number("DocTotal", "Total"), COMMENTS, DOC_ENTRY)
TRANSFER: Final = (
    DOC_NUM,
    DOC_DATE,
    text("FromWarehouse", "Desde la bodega"),
    text("ToWarehouse", "Hacia la bodega"),
    CARD_NAME,
    COMMENTS,
    DOC_ENTRY,
)
PAYMENT: Final = (
    DOC_NUM,
    DOC_DATE,
    CARD_CODE,
    CARD_NAME,
    number("CashSum", "Efectivo"),
    number("TransferSum", "Transferencia"),
    text("DocCurrency", "Moneda"),
    CANCELLED,
    DOC_ENTRY,
)

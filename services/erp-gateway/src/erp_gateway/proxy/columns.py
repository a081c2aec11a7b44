"""What a page shows of a resource before anybody chose: its columns, with titles in Spanish. Pure values."""

from typing import Final, Literal, TypeAlias

from attrs import field, frozen

from erp_gateway.declarations import line_of_declaration

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


Columns: TypeAlias = tuple[Column, ...]


def text(name: str, title: str) -> Column:
    """Declare a column of texts."""
    return Column(name=name, title=title, type="text")


def integer(name: str, title: str) -> Column:
    """Declare a column of whole numbers."""
    return Column(name=name, title=title, type="integer")


def number(name: str, title: str) -> Column:
    """Declare a column of amounts and other numbers."""
    return Column(name=name, title=title, type="number")


def date(name: str, title: str) -> Column:
    """Declare a column of days."""
    return Column(name=name, title=title, type="date")


def choice(name: str, title: str, **choices: str) -> Column:
    """Declare a column of few values, each with its name for people."""
    named = tuple(Choice(value=value, title=said) for value, said in choices.items())
    return Column(name=name, title=title, type="choice", choices=named)


def yes_no(name: str, title: str) -> Column:
    """Declare a column of the ERP's `tYES` and `tNO`."""
    return choice(name, title, tYES="Sí", tNO="No")


DOC_ENTRY: Final = integer("DocEntry", "Número interno")
DOC_NUM: Final = integer("DocNum", "Número")
DOC_DATE: Final = date("DocDate", "Fecha")
CARD_CODE: Final = text("CardCode", "Código del socio")
CARD_NAME: Final = text("CardName", "Nombre del socio")
ITEM_CODE: Final = text("ItemCode", "Artículo")
CODE: Final = text("Code", "Código")
NUMERIC_CODE: Final = integer("Code", "Código")
ABS_ENTRY: Final = integer("AbsEntry", "Número interno")
NAME: Final = text("Name", "Nombre")
DESCRIPTION: Final = text("Description", "Descripción")
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
)
STOCK_DOCUMENT: Final = (DOC_NUM, DOC_DATE, number("DocTotal", "Total"), COMMENTS, DOC_ENTRY)
TRANSFER: Final = (
    DOC_NUM,
    DOC_DATE,
    text("FromWarehouse", "Desde el almacén"),
    text("ToWarehouse", "Hacia el almacén"),
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

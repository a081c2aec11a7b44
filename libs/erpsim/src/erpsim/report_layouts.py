"""The company's print layouts and reports: what `RDOC` lists, what the report gateway prints. Values only."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

import attrs


class Category(enum.Enum):
    """Kinds of layouts, by their value in the database; the members of `ReportLayoutCategoryEnum`."""

    CRYSTAL = "C"
    PLD = "P"


class Role(enum.Enum):
    """What a layout does with a parameter."""

    DOCUMENT = "document"
    """`DocEntry` of the document to print."""
    OBJECT = "object"
    """Number of the object type: 17 is an order."""
    SCHEMA = "schema"
    """The company's schema in the database."""
    LABEL = "label"
    """A heading or a line between parameters of the panel: no value."""
    ITEM = "item"
    GROUP = "group"
    WAREHOUSE = "warehouse"
    DATE = "date"
    MINIMUM = "minimum"
    CARD = "card"
    NOTE = "note"


class Kind(enum.Enum):
    """What a layout prints."""

    DOCUMENT = "document"
    ITEMS = "items"
    STOCK = "stock"
    SALES = "sales"


class Paper(enum.Enum):
    """Paper sizes."""

    A4 = "A4"
    LETTER = "Letter"


@attrs.frozen(kw_only=True)
class LayoutParameter:
    """One parameter of a layout, as its designer declared it.

    Args:
        name: byte for byte; may hold a look-up for the panel: `Item@Select * from OITM`.
        role: what it is for.
        type: `xsd:string`, `xsd:decimal` or `xsd:date`.
        description: text of the panel.
        needed: whether the layout prints nothing without it, whatever it tells about itself.
        optional_prompt, nullable: what it tells about itself; in the sample of SAP's guide headings are not
            optional, and filters that may be left out not nullable.
        ranged: whether it takes two ends.
        multiple: whether it takes several values.
        of_procedure: whether it belongs to the stored procedure below the layout.
        stored: current values that were saved with the layout.
    """

    name: str
    role: Role
    type: str = "xsd:string"
    description: str = ""
    needed: bool = False
    optional_prompt: bool = False
    nullable: bool = True
    ranged: bool = False
    multiple: bool = False
    of_procedure: bool = False
    stored: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Layout:
    """One layout.

    Args:
        code: `RDR20001`; begins with the type's code.
        name: for people.
        type_code: `RDR2` is an order with items, `RCRI` a report of the general catalogue.
        kind: what it prints.
        parameters: in the order in which the report gateway wants them.
        set_name: entity set of the documents it prints.
        category: only Crystal layouts can be printed by the report gateway.
        active: whether it may be used.
        default: whether the company prints its type with it.
        paper: size of its pages.
        menu, guid: place of a general report in the menu, as the gateway names it.
    """

    code: str
    name: str
    type_code: str
    kind: Kind
    parameters: tuple[LayoutParameter, ...] = ()
    set_name: str = ""
    category: Category = Category.CRYSTAL
    active: bool = True
    default: bool = False
    paper: Paper = Paper.A4
    menu: str = ""
    guid: str = ""


def _document_parameters(
    object_type: int,
    *,
    key: str = "DocKey@",
    object_name: str | None = "ObjectId@",
    stored_key: str = "2",
    object_stored: bool = False,
) -> tuple[LayoutParameter, ...]:
    """Return the parameters of a document's layout.

    As recorded, the key says that it may be null, and carries the document that its designer printed last.
    """
    parameters = [
        LayoutParameter(
            name=key,
            role=Role.DOCUMENT,
            type="xsd:decimal",
            needed=True,
            of_procedure=True,
            stored=(stored_key,),
        )
    ]
    if object_name is not None:
        parameters.append(
            LayoutParameter(
                name=object_name,
                role=Role.OBJECT,
                type="xsd:decimal",
                of_procedure=True,
                stored=(str(object_type),) if object_stored else (),
            )
        )
    return tuple(parameters)


_NOTE: Final = LayoutParameter(name="Pm-ORDR.U_NOTA", role=Role.NOTE)
_SCHEMA: Final = LayoutParameter(name="Schema@", role=Role.SCHEMA, needed=True, nullable=False)

LAYOUTS: Final = (
    Layout(
        code="RDR20001",
        name="Orden de venta",
        type_code="RDR2",
        kind=Kind.DOCUMENT,
        set_name="Orders",
        parameters=(_NOTE, *_document_parameters(17, object_stored=True)),
    ),
    Layout(
        code="RDR20002",
        name="Orden de venta (carta)",
        type_code="RDR2",
        kind=Kind.DOCUMENT,
        set_name="Orders",
        parameters=(*_document_parameters(17, key="Dockey@", object_name="ObjectID@"), _SCHEMA),
        default=True,
        paper=Paper.LETTER,
    ),
    Layout(
        code="RDR10001",
        name="Orden de venta de servicios",
        type_code="RDR1",
        kind=Kind.DOCUMENT,
        set_name="Orders",
        parameters=_document_parameters(17),
        default=True,
    ),
    Layout(
        code="QUT20001",
        name="Cotización",
        type_code="QUT2",
        kind=Kind.DOCUMENT,
        set_name="Quotations",
        parameters=_document_parameters(23, object_name=None),
        default=True,
    ),
    Layout(
        code="DLN20001",
        name="Entrega",
        type_code="DLN2",
        kind=Kind.DOCUMENT,
        set_name="DeliveryNotes",
        parameters=_document_parameters(15, key="dockey@"),
        default=True,
    ),
    Layout(
        code="INV20001",
        name="Factura",
        type_code="INV2",
        kind=Kind.DOCUMENT,
        set_name="Invoices",
        parameters=_document_parameters(13, key="DocKey@", object_name="ObjectID@"),
        default=True,
    ),
    Layout(
        code="INV20002",
        name="Factura (formato PLD)",
        type_code="INV2",
        kind=Kind.DOCUMENT,
        set_name="Invoices",
        category=Category.PLD,
    ),
    Layout(
        code="INV20003",
        name="Factura (formato anterior)",
        type_code="INV2",
        kind=Kind.DOCUMENT,
        set_name="Invoices",
        parameters=_document_parameters(13),
        active=False,
    ),
    Layout(
        code="RIN20001",
        name="Nota de crédito",
        type_code="RIN2",
        kind=Kind.DOCUMENT,
        set_name="CreditNotes",
        parameters=_document_parameters(14, stored_key="1"),
        default=True,
    ),
    Layout(
        code="POR20001",
        name="Orden de compra",
        type_code="POR2",
        kind=Kind.DOCUMENT,
        set_name="PurchaseOrders",
        parameters=_document_parameters(22),
        default=True,
    ),
    Layout(
        code="RCRI0001",
        name="Lista de artículos",
        type_code="RCRI",
        kind=Kind.ITEMS,
        menu="#1000004#8",
        guid="63",
        parameters=(
            LayoutParameter(
                name="Title_Items@Title", role=Role.LABEL, description="Artículos", nullable=False
            ),
            LayoutParameter(
                name="Item@Select * from OITM",
                role=Role.ITEM,
                description="Artículo",
                optional_prompt=True,
                nullable=False,
                ranged=True,
            ),
            LayoutParameter(
                name='Item Group@select "ItmsGrpCod","ItmsGrpNam" from OITB',
                role=Role.GROUP,
                description="Grupo de artículos:",
                optional_prompt=True,
                nullable=False,
                multiple=True,
            ),
            LayoutParameter(
                name="Sep_item@separator",
                role=Role.LABEL,
                description="Sep_item@separator:",
                nullable=False,
            ),
        ),
    ),
    Layout(
        code="RCRI0002",
        name="Existencias por bodega",
        type_code="RCRI",
        kind=Kind.STOCK,
        menu="#1000004#8",
        guid="63",
        parameters=(
            LayoutParameter(
                name="warehouse@Select * from OWHS",
                role=Role.WAREHOUSE,
                description="Bodega",
                nullable=False,
                needed=True,
            ),
            LayoutParameter(
                name="Item@Select * from OITM",
                role=Role.ITEM,
                description="Artículo",
                optional_prompt=True,
                ranged=True,
            ),
            LayoutParameter(
                name="Fecha",
                role=Role.DATE,
                type="xsd:date",
                description="Fecha de corte",
                nullable=False,
                needed=True,
                stored=("Date(2026, 6, 7)",),
            ),
            LayoutParameter(
                name="Minimo", role=Role.MINIMUM, type="xsd:decimal", description="Cantidad mínima"
            ),
        ),
    ),
    Layout(
        code="RCRI0003",
        name="Ventas por período",
        type_code="RCRI",
        kind=Kind.SALES,
        menu="#1000004#4",
        guid="44",
        paper=Paper.LETTER,
        parameters=(
            LayoutParameter(
                name="RangeDate@",
                role=Role.DATE,
                type="xsd:date",
                description="Período",
                nullable=False,
                needed=True,
                ranged=True,
                stored=("Date(2026, 6, 7) to Date(2026, 6, 13)",),
            ),
            LayoutParameter(name="CardCode", role=Role.CARD, description="Cliente", optional_prompt=True),
        ),
    ),
)

BY_CODE: Final[Mapping[str, Layout]] = {layout.code: layout for layout in LAYOUTS}

GENERAL: Final = "RCRI"
"""Type of the reports of the general catalogue."""

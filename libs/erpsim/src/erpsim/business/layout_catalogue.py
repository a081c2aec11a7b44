"""The company's print layouts and reports, as listed in `RDOC` and printed by the report gateway. Values
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from erpsim.business.layouts import Category, Kind, Layout, LayoutParameter, Paper, Role

REPORT_LAYOUTS: Final = "$ReportLayouts"
"""Hidden table of the layouts."""


def _document_parameters(
    object_type: int,
    *,
    key: str = "DocKey@",
    object_name: str | None = "ObjectId@",
    stored_key: str = "2",
    object_stored: bool = False,
) -> tuple[LayoutParameter, ...]:
    """Return the parameters of a document's layout."""
    # As recorded, the key is declared nullable and contains the document that the layout's designer printed
    # last.
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

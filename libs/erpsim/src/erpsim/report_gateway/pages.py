"""What a layout shows of the company, as values: read from the world before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Final

import attrs

from erpsim.desk import Desk
from erpsim.records import Fields, Value
from erpsim.report_gateway.asking import UnprintableError, Values
from erpsim.report_layouts import Kind, Layout, Paper, Role
from erpsim.world import World


@attrs.frozen(kw_only=True)
class Column:
    """One column of a page's table.

    Args:
        title: its heading.
        width: its share of the page's width.
        number: whether it stands to the right.
    """

    title: str
    width: float
    number: bool = False


@attrs.frozen(kw_only=True)
class Page:
    """Everything that one printed document or report shows.

    Args:
        paper: size of the paper.
        company: its name, above everything.
        title: `Orden de venta N° 100001`.
        facts: labelled texts below the title.
        columns: of the table.
        rows: of the table, as they are shown.
        totals: labelled amounts below the table.
    """

    paper: Paper
    company: str
    title: str
    facts: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: tuple[tuple[str, str], ...] = ()


_LINE_COLUMNS: Final = (
    Column(title="Código", width=0.15),
    Column(title="Descripción", width=0.41),
    Column(title="Cantidad", width=0.12, number=True),
    Column(title="Precio", width=0.15, number=True),
    Column(title="Total", width=0.17, number=True),
)
_ITEM_COLUMNS: Final = (
    Column(title="Código", width=0.2),
    Column(title="Descripción", width=0.5),
    Column(title="Grupo", width=0.12),
    Column(title="Existencia", width=0.18, number=True),
)
_STOCK_COLUMNS: Final = (
    Column(title="Código", width=0.2),
    Column(title="Descripción", width=0.5),
    Column(title="Bodega", width=0.12),
    Column(title="En stock", width=0.18, number=True),
)
_SALES_COLUMNS: Final = (
    Column(title="Fecha", width=0.14),
    Column(title="Factura", width=0.14),
    Column(title="Cliente", width=0.5),
    Column(title="Total", width=0.22, number=True),
)


def page_of(world: World, layout: Layout, values: Values) -> Page:
    """Return what a layout prints for these values.

    Raises:
        UnprintableError: there is nothing to print.
    """
    return _PAGES[layout.kind](Desk(world), layout, values)


def _document(desk: Desk, layout: Layout, values: Values) -> Page:
    number = Decimal(values[Role.DOCUMENT].one)
    wanted = [row for row in desk.rows(layout.set_name, filter=f"DocEntry eq {number:f}")]
    if not wanted or (Role.OBJECT in values and not _is_of(layout, values)):
        raise UnprintableError(f"no document {number}")
    row = wanted[0]
    currency = str(row["DocCurrency"])
    net = _number(row["DocTotal"]) - _number(row["VatSum"])
    facts = (
        ("Cliente" if layout.set_name != "PurchaseOrders" else "Proveedor", f"{row['CardCode']} {row['CardName']}"),
        ("RUT", _text(row["FederalTaxID"])),
        ("Dirección", _text(row["Address"])),
        ("Fecha", _day(row["DocDate"])),
        ("Vencimiento", _day(row["DocDueDate"])),
        ("Moneda", currency),
    )
    lines = row["DocumentLines"]
    assert isinstance(lines, list)  # noqa: S101 - told to the type checker
    return _page(
        desk,
        layout,
        title=f"{layout.name} N° {row['DocNum']}",
        facts=facts,
        columns=_LINE_COLUMNS,
        rows=[_line(line) for line in lines if isinstance(line, Mapping)],
        totals=(
            ("Neto", f"{currency} {_amount(net)}"),
            ("IVA", f"{currency} {_amount(row['VatSum'])}"),
            ("Total", f"{currency} {_amount(row['DocTotal'])}"),
        ),
    )

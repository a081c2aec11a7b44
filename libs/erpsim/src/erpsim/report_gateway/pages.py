"""Data of a printed layout, read from the world before drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Final

import attrs

from erpsim.business.layouts import Kind, Layout, Paper, Role
from erpsim.business.stock import WAREHOUSES
from erpsim.company.company import Company
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.facts.document_kinds import KINDS
from erpsim.report_gateway.parameter_values import ParameterValue, UnprintableError, Values
from erpsim.world import World


@attrs.frozen(kw_only=True)
class Column:
    """One column of a page's table.

    Args:
        title: its heading.
        width: its share of the page's width.
        number: whether it is right-aligned.
    """

    title: str
    width: float
    number: bool = False


@attrs.frozen(kw_only=True)
class Page:
    """All data of one printed document or report.

    Args:
        paper: size of the paper.
        company: its name, above everything.
        title: `Orden de venta N° 100001`.
        labels: labelled texts below the title.
        columns: of the table.
        rows: of the table, formatted.
        totals: labelled amounts below the table.
    """

    paper: Paper
    company: str
    title: str
    labels: tuple[tuple[str, str], ...]
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


def page_of(world: World, layout: Layout, values: Values) -> Page | None:
    """Return the page of a layout for these values, or None for an empty page.

    Raises:
        UnprintableError: no data to print.
    """
    page = _PAGES[layout.kind](world.company, layout, values)
    if page is not None and not page.rows:
        raise UnprintableError("nothing to print")
    return page


def _document(company: Company, layout: Layout, values: Values) -> Page | None:
    """Return a document's page. A missing document prints as a valid, empty PDF (seen live)."""
    number = Decimal(values[Role.DOCUMENT].one)
    entry = int(number)
    if number != entry or not _is_object(layout, values):
        raise UnprintableError(f"no document {number}")
    row = company.find(layout.set_name, entry)
    if row is None:
        return None
    currency = str(row["DocCurrency"])
    money = _Money(foreign=currency != company.local_currency)
    tax, total = money.of(row, "VatSum", "VatSumFc"), money.of(row, "DocTotal", "DocTotalFc")
    partner = "Proveedor" if layout.set_name == "PurchaseOrders" else "Cliente"
    lines = rows_of(row, "DocumentLines")
    return Page(
        paper=layout.paper,
        company=company.switches.company_name,
        title=f"{layout.name} N° {row['DocNum']}",
        labels=(
            (partner, f"{row['CardCode']} {row['CardName']}"),
            ("RUT", _text(row.get("FederalTaxID"))),
            ("Dirección", _text(row.get("Address"))),
            ("Fecha", _day(row["DocDate"])),
            ("Vencimiento", _day(row["DocDueDate"])),
            ("Moneda", currency),
        ),
        columns=_LINE_COLUMNS,
        rows=tuple(_line(line, money) for line in lines),
        totals=(
            ("Neto", f"{currency} {_amount(total - tax)}"),
            ("IVA", f"{currency} {_amount(tax)}"),
            ("Total", f"{currency} {_amount(total)}"),
        ),
    )


@attrs.frozen
class _Money:
    """Selects amounts in a document's own currency.

    Args:
        foreign: whether that is not the company's currency.
    """

    foreign: bool

    def of(self, row: Fields, local: str, foreign: str) -> Decimal:
        return _number(row.get(foreign if self.foreign else local))


def _is_object(layout: Layout, values: Values) -> bool:
    value = values.get(Role.OBJECT)
    return value is None or Decimal(value.one) == KINDS[layout.set_name].code


def _line(line: Fields, money: _Money) -> tuple[str, ...]:
    return (
        _text(line.get("ItemCode")),
        _text(line.get("ItemDescription")),
        _amount(_number(line.get("Quantity"))),
        _amount(_number(line.get("Price"))),
        _amount(money.of(line, "LineTotal", "RowTotalFC")),
    )


def _items(company: Company, layout: Layout, values: Values) -> Page:
    groups = values.get(Role.GROUP)
    rows = [
        (
            str(item["ItemCode"]),
            _text(item.get("ItemName")),
            str(item["ItemsGroupCode"]),
            _amount(_number(item.get("QuantityOnStock"))),
        )
        for item in _chosen_items(company, values)
        if groups is None or str(item["ItemsGroupCode"]) in groups.texts
    ]
    labels = (("Artículos", _range(values.get(Role.ITEM))), ("Grupos", _all(groups)))
    return _report(company, layout, labels, _ITEM_COLUMNS, rows)


def _stock(company: Company, layout: Layout, values: Values) -> Page:
    warehouse = values[Role.WAREHOUSE].one
    minimum = Decimal(values[Role.MINIMUM].one) if Role.MINIMUM in values else None
    rows = [
        (str(item["ItemCode"]), _text(item.get("ItemName")), warehouse, _amount(stock))
        for item in _chosen_items(company, values)
        for info in rows_of(item, WAREHOUSES)
        if info["WarehouseCode"] == warehouse and (minimum is None or _number(info.get("InStock")) >= minimum)
        for stock in (_number(info.get("InStock")),)
    ]
    labels = (
        ("Bodega", warehouse),
        ("Fecha de corte", _day(values[Role.DATE].one)),
        ("Artículos", _range(values.get(Role.ITEM))),
        ("Cantidad mínima", "" if minimum is None else _amount(minimum)),
    )
    return _report(company, layout, labels, _STOCK_COLUMNS, rows)


def _sales(company: Company, layout: Layout, values: Values) -> Page:
    period, card = values[Role.DATE], values.get(Role.CARD)
    invoices = [
        row
        for row in company.rows("Invoices")
        if period.within(str(row["DocDate"])) and (card is None or row["CardCode"] == card.one)
    ]
    rows = [
        (_day(row["DocDate"]), str(row["DocNum"]), _text(row["CardName"]), _amount(_number(row["DocTotal"])))
        for row in invoices
    ]
    first, last = period.texts
    page = _report(
        company,
        layout,
        (("Período", f"{_day(first)} a {_day(last)}"), ("Cliente", _all(card))),
        _SALES_COLUMNS,
        rows,
    )
    total = sum((_number(row["DocTotal"]) for row in invoices), Decimal(0))
    return attrs.evolve(page, totals=(("Total", f"{company.local_currency} {_amount(total)}"),))


def _report(
    company: Company,
    layout: Layout,
    labels: tuple[tuple[str, str], ...],
    columns: tuple[Column, ...],
    rows: Iterable[tuple[str, ...]],
) -> Page:
    return Page(
        paper=layout.paper,
        company=company.switches.company_name,
        title=layout.name,
        labels=tuple(label for label in labels if label[1]),
        columns=columns,
        rows=tuple(rows),
    )


def _chosen_items(company: Company, values: Values) -> list[Fields]:
    chosen = values.get(Role.ITEM)
    rows = company.rows("Items")
    return [row for row in rows if chosen is None or chosen.within(str(row["ItemCode"]))]


_PAGES: Final[Mapping[Kind, Callable[[Company, Layout, Values], Page | None]]] = {
    Kind.DOCUMENT: _document,
    Kind.ITEMS: _items,
    Kind.STOCK: _stock,
    Kind.SALES: _sales,
}


def _text(value: Value) -> str:
    return "" if value is None else str(value)


def _number(value: Value) -> Decimal:
    return Decimal(value) if isinstance(value, Decimal | int) else Decimal(0)


def _amount(value: Decimal) -> str:
    """Write a number as in Chile: `88.798`, `6.830,60`."""
    text = f"{value:,.0f}" if value == value.to_integral_value() else f"{value:,.2f}"
    return text.translate(str.maketrans(",.", ".,"))


def _day(value: Value) -> str:
    """Write a date as in Chile: `03-11-2025`."""
    year, month, day = str(value).split("-")
    return f"{day}-{month}-{year}"


def _range(value: ParameterValue | None) -> str:
    return "" if value is None else f"{value.texts[0]} a {value.texts[-1]}"


def _all(value: ParameterValue | None) -> str:
    return "" if value is None else ", ".join(value.texts)

"""Cards of the ERP: who sees them, and their figures."""

from datetime import date
from decimal import Decimal

import attrs
import pytest

from erp_gateway.records.documents.sums import CurrencySum
from erp_gateway.records.home.cards import BY_NAME, MOST_LISTED, cards_of
from erp_gateway.records.home.shapes import CardName
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES
from erpclient import ErpList, ErpReplyUnreadable

REGISTRY = Registry(DEFAULT_RESOURCES, ())
TODAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("routes", "names"),
    [
        ((), ()),
        (("/ventas/pedidos",), ("orders_due",)),
        (("/ventas/pedidos/editar",), ()),
        (("/compras/facturas",), ("supplier_invoices_overdue",)),
        (("/compras/pedidos",), ("low_stock",)),
        (("/inventario/articulos/editar",), ("low_stock",)),
    ],
)
def test_a_card_needs_a_right(routes: tuple[str, ...], names: tuple[CardName, ...]) -> None:
    assert tuple(card.name for card in cards_of(REGISTRY, routes.__contains__)) == names


def test_there_is_no_card_of_a_resource_that_is_not_registered() -> None:
    assert cards_of(Registry((), ()), lambda _: True) == ()


@pytest.mark.parametrize(
    ("resource", "secret", "name"),
    [
        ("Orders", "docduedate", "orders_due"),
        ("Invoices", "Cancelled", "invoices_overdue"),
        ("Items", "MinInventory", "low_stock"),
    ],
)
def test_a_card_does_not_count_by_hidden_fields(resource: str, secret: str, name: CardName) -> None:
    hiding = [
        attrs.evolve(each, secret_fields=frozenset({secret}), columns=()) if each.name == resource else each
        for each in DEFAULT_RESOURCES
    ]
    observed = [card.name for card in cards_of(Registry(hiding, ()), lambda _: True)]
    assert observed == [each for each in BY_NAME if each != name]


def test_open_amounts_are_added_up_by_currency() -> None:
    rows = (
        b'[{"DocEntry":1,"DocTotal":100.10,"DocTotalFc":0,"DocCurrency":"CLP","PaidToDate":0.10},'
        b'{"DocEntry":2,"DocTotal":950,"DocTotalFc":1.5,"DocCurrency":"USD","PaidToDateFC":0.5},'
        b'{"DocEntry":3,"DocTotal":5,"DocCurrency":"CLP"}]'
    )
    figures = BY_NAME["invoices_overdue"].figures(ErpList(rows, 7), TODAY)
    assert figures.sums == (
        CurrencySum(currency="CLP", amount=Decimal("105.00")),
        CurrencySum(currency="USD", amount=Decimal("1.0")),
    )
    assert (figures.count, figures.is_partial) == (7, True)
    assert figures.filter is not None
    assert figures.filter.endswith("DocDueDate lt '2026-03-02'")


def test_items_without_their_minimum_are_named_the_most_lacking_first() -> None:
    rows = ",".join(
        f'{{"ItemCode":"O\'{number}","QuantityOnStock":{number},"MinInventory":25}}' for number in range(50)
    )
    figures = BY_NAME["low_stock"].figures(ErpList(f"[{rows}]".encode(), 50), TODAY)
    assert (figures.count, figures.is_partial) == (25, False)
    assert figures.filter is not None
    assert figures.filter.startswith("ItemCode eq 'O''0' or ItemCode eq 'O''1'")
    assert figures.filter.count("ItemCode") == MOST_LISTED
    assert BY_NAME["low_stock"].figures(ErpList(b"[]", 0), TODAY).filter is None


@pytest.mark.parametrize("name", list(BY_NAME))
def test_other_rows_are_unreadable(name: CardName) -> None:
    with pytest.raises(ErpReplyUnreadable):
        BY_NAME[name].figures(ErpList(b'[{"x":1}]', 1), TODAY)

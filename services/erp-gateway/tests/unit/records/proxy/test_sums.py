"""Which columns add up, and how the ERP's reply is read."""

from decimal import Decimal
from typing import Any

from erp_gateway.records.proxy.declarations.columns import Column, text
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.declarations.resource import Resource
from erp_gateway.records.proxy.sums import ColumnSums, Sum, Sums, read_sums, summable_columns
from erp_gateway.values.measures import Measure
from erpclient.odata import CompositeKey, EntityKey, IntKey, StrKey

LOCAL = Column(name="DocTotal", title="Total", type="number", measure=Measure(kind="amount"))
FOREIGN = Column(name="Fee", title="Comisión", type="number", measure=Measure(kind="amount", by="Money"))
PRICE = Column(name="Price", title="Precio", type="number", measure=Measure(kind="amount", adds=False))


NUMBER = IntKey("DocEntry")


def registered(*columns: Column, key: EntityKey = NUMBER) -> Registered:
    resource = Resource(name="Fees", key=key, read_menu=None, write_menu=None, columns=columns)
    [found] = Registry([resource], []).registered
    return found


def reply(**fields: Any) -> dict[str, Any]:
    return {"odata.id": None, **fields}


def test_columns_with_a_measure_that_adds_are_summable() -> None:
    assert set(summable_columns(registered(LOCAL, FOREIGN, PRICE, text("Money", "Moneda")))) == {
        "DocTotal",
        "Fee",
    }


def test_a_composite_key_has_no_sums() -> None:
    key = CompositeKey((StrKey("CardCode"), IntKey("List")))
    assert summable_columns(registered(LOCAL, key=key)) == {}


def test_sums_of_the_groups_of_a_local_amount_are_added() -> None:
    rows = [
        reply(Sum0=Decimal("0.1"), Sum1=5, Money="USD", RecordCount=2),
        reply(Sum0=Decimal("0.2"), Sum1=Decimal("1.5"), Money="CLP", RecordCount=1),
    ]
    assert read_sums((LOCAL, FOREIGN), rows) == Sums(
        available=True,
        count=3,
        columns=(
            ColumnSums(name="DocTotal", by=None, sums=(Sum(unit=None, value=Decimal("0.3")),)),
            ColumnSums(
                name="Fee",
                by="Money",
                sums=(Sum(unit="CLP", value=Decimal("1.5")), Sum(unit="USD", value=Decimal(5))),
            ),
        ),
    )


def test_groups_without_a_value_have_no_sum_and_groups_without_a_unit_have_none() -> None:
    rows = [
        reply(Sum0=None, Money="USD", RecordCount=1),
        reply(Sum0=1, Money=None, RecordCount=1),
        reply(Sum0=2, Money="", RecordCount=1),
    ]
    [fee] = read_sums((FOREIGN,), rows).columns  # type: ignore[union-attr]
    assert fee.sums == (Sum(unit=None, value=Decimal(3)),)


def test_no_records_are_no_sums_and_not_a_refusal() -> None:
    assert read_sums((LOCAL,), [reply(Sum0=None, RecordCount=0)]) == Sums(
        available=True, count=0, columns=(ColumnSums(name="DocTotal", by=None, sums=()),)
    )
    assert read_sums((FOREIGN,), []) == Sums(
        available=True, count=0, columns=(ColumnSums(name="Fee", by="Money", sums=()),)
    )


def test_rows_without_a_count_are_no_sums() -> None:
    assert read_sums((LOCAL,), [{"DocEntry": 1, "DocTotal": 5}]) is None
    assert read_sums((LOCAL,), [reply(Sum0=1, RecordCount="1")]) is None

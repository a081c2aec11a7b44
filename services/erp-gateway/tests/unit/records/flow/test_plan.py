"""The reads of a flow."""

from decimal import Decimal

import pytest

from erp_gateway.records.documents.head import BaseLine, HeadRow, PaidInvoice
from erp_gateway.records.flow.links import FOLLOWING, PAID_BY
from erp_gateway.records.flow.plan import FlowPlan, PlannedRead, Side, bases_of
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES
from erpclient import CrossJoin, ErpList, ErpRows
from erpclient.reads import ListRead
from erpsim.facts.document_kinds import KINDS

REGISTRY = Registry(DEFAULT_RESOURCES, ())


def plan(name: str, row: HeadRow, paid_columns: tuple[str, ...] = ()) -> FlowPlan:
    target = REGISTRY.find(name)
    assert target is not None
    return FlowPlan(REGISTRY, target, row, paid_columns)


def test_every_kind_that_the_erp_makes_from_another_is_followed() -> None:
    by_code = {kind.code: kind.set_name for kind in KINDS.values()}
    for kind in KINDS.values():
        for code in kind.bases:
            assert kind.set_name in FOLLOWING[by_code[code]], (by_code[code], kind.set_name)


def test_every_followed_resource_is_registered() -> None:
    for name, following in FOLLOWING.items():
        assert all(REGISTRY.find(each) for each in (name, *following, PAID_BY.get(name, name)))


def test_bases_come_from_lines_without_regard_to_their_number() -> None:
    lines = [
        BaseLine(base_type=17, base_entry=5),
        BaseLine(base_type="17", base_entry=5),
        BaseLine(base_type=23, base_entry=1),
        BaseLine(base_type=-1, base_entry=9),
        BaseLine(base_type=None, base_entry=None),
        BaseLine(base_type="oOrders", base_entry=6),
    ]
    bases = bases_of(HeadRow(doc_entry=1, document_lines=lines))
    assert bases.entries == {17: {5: None, 6: None}, 23: {1: None}}
    assert not bases.is_unreadable
    strange = [BaseLine(base_type="something", base_entry=1)]
    assert bases_of(HeadRow(doc_entry=1, document_lines=strange)).is_unreadable


def test_the_bases_of_a_payment_are_its_invoices_with_what_it_applies() -> None:
    rows = [
        PaidInvoice(doc_entry=3, invoice_type="it_Invoice", sum_applied=Decimal(5)),
        PaidInvoice(doc_entry=3, invoice_type="it_Invoice", sum_applied=Decimal(7)),
        PaidInvoice(
            doc_entry=4, invoice_type="it_CredItnote", sum_applied=Decimal(900), applied_fc=Decimal(1)
        ),
    ]
    bases = bases_of(HeadRow(doc_entry=1, payment_invoices=rows))
    assert bases.entries == {13: {3: Decimal(12)}, 14: {4: Decimal(1)}}


def test_an_order_is_followed_through_the_lines_of_each_kind() -> None:
    reads = list(plan("Orders", HeadRow(doc_entry=7, document_status="bost_Open")).following_reads())
    assert [each.target.resource.name for each in reads] == list(FOLLOWING["Orders"])
    first = reads[0].read
    assert isinstance(first, CrossJoin)
    assert first.filter == (
        "DeliveryNotes/DocEntry eq DeliveryNotes/DocumentLines/DocEntry "
        "and DeliveryNotes/DocumentLines/BaseType eq 17 and DeliveryNotes/DocumentLines/BaseEntry eq 7"
    )


def test_a_cancelled_document_is_followed_by_its_own_kind() -> None:
    row = HeadRow(doc_entry=7, cancelled="tYES", cancel_status="csYes")
    names = [each.target.resource.name for each in plan("DeliveryNotes", row).following_reads()]
    assert names[-1] == "DeliveryNotes"


@pytest.mark.parametrize(
    ("row", "is_read"),
    [
        ({"document_status": "bost_Open", "paid_to_date": Decimal(0)}, False),
        ({"document_status": "bost_Open", "paid_to_date": Decimal(1)}, True),
        ({"document_status": "bost_Open"}, True),
        ({"document_status": "bost_Close", "paid_to_date": Decimal(0)}, True),
    ],
)
def test_payments_are_read_where_there_can_be_some(row: dict[str, object], *, is_read: bool) -> None:
    invoice = HeadRow(doc_entry=7, card_code="C'1", doc_date="2026-03-01T00:00:00Z", **row)  # type: ignore[arg-type]  # columns by name
    reads = [each for each in plan("Invoices", invoice).following_reads() if each.paid]
    assert bool(reads) is is_read
    for each in reads:
        assert isinstance(each.read, ListRead)
        assert each.read.query.filter == "CardCode eq 'C''1' and DocDate ge '2026-03-01'"


def test_of_a_partners_payments_those_of_the_invoice_count() -> None:
    invoice = HeadRow(doc_entry=7, card_code="C1", document_status="bost_Close")
    (read,) = [each for each in plan("Invoices", invoice).following_reads() if each.paid]
    rows = (
        b'[{"DocEntry":1,"PaymentInvoices":[{"DocEntry":7,"InvoiceType":"it_Invoice","SumApplied":5},'
        b'{"DocEntry":7,"InvoiceType":"it_Invoice","SumApplied":1}]},'
        b'{"DocEntry":2,"PaymentInvoices":[{"DocEntry":7,"InvoiceType":"it_CredItnote","SumApplied":5}]},'
        b'{"DocEntry":3,"PaymentInvoices":[]}]'
    )
    found, is_complete = read.read_result(ErpList(rows, 3))
    assert [(each.row.doc_entry, each.applied) for each in found] == [(1, Decimal(6))]
    assert is_complete
    assert not read.read_result(ErpList(rows, 4))[1]


def test_a_join_with_more_rows_is_incomplete() -> None:
    (first, *_) = plan("Orders", HeadRow(doc_entry=7)).following_reads()
    found, is_complete = first.read_result(ErpRows(b'[{"DeliveryNotes":{"DocEntry":1}}]', more=True))
    assert ([each.row.doc_entry for each in found], is_complete) == ([1], False)


def test_columns_are_left_out_of_lists_and_joins() -> None:
    row = HeadRow(doc_entry=7, document_lines=[BaseLine(base_type=13, base_entry=2)])
    flow = plan("Orders", row, ("PaidToDate",))
    reads: list[PlannedRead] = [*flow.base_reads(bases_of(row)), *flow.following_reads()]
    invoices = [each for each in reads if each.target.resource.name == "Invoices"]
    assert [each.side for each in invoices] == [Side.BASE, Side.FOLLOWING]
    for each in invoices:
        assert "PaidToDate" in each.columns
        assert "PaidToDate" not in each.without({"PaidToDate"}).columns

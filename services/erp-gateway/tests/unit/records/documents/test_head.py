"""Heads of documents, read from rows of the ERP."""

from decimal import Decimal
from typing import Any

import pytest

from erp_gateway.records.documents.head import (
    DOCUMENT_COLUMNS,
    HeadRow,
    head_of,
    read_head,
    read_heads,
    read_joined_heads,
    shown,
)
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.declarations.resource import Resource
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES
from erpclient import ErpReplyUnreadable
from erpclient.odata import IntKey

REGISTRY = Registry(DEFAULT_RESOURCES, ())


def target(name: str) -> Registered:
    found = REGISTRY.find(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("row", "state"),
    [
        ({"document_status": "bost_Open", "cancelled": "tNO", "cancel_status": "csNo"}, "open"),
        ({"document_status": "bost_Close", "cancelled": "tNO", "cancel_status": "csNo"}, "closed"),
        ({"document_status": "bost_Close", "cancelled": "tYES", "cancel_status": "csYes"}, "cancelled"),
        ({"document_status": "bost_Open", "cancelled": "tYES"}, "cancelled"),
        ({"document_status": "bost_Close", "cancel_status": "csCancellation"}, "cancellation"),
        ({"cancelled": "tNO"}, "closed"),
        ({}, "closed"),
    ],
)
def test_the_state_follows_from_three_columns(row: dict[str, Any], state: str) -> None:
    assert HeadRow(doc_entry=1, **row).state == state


def test_amounts_are_in_the_documents_currency() -> None:
    row = read_head(
        b'{"DocEntry":7,"DocNum":70,"DocDate":"2026-03-01T00:00:00Z","DocTotal":950.10,"DocTotalFc":1.05,'
        b'"DocCurrency":"USD","PaidToDate":475.05,"PaidToDateFC":0.55,"DocumentStatus":"bost_Open",'
        b'"odata.etag":"x","Unknown":[1]}'
    )
    head = head_of(target("Invoices"), row)
    assert (head.total, head.open, head.currency) == (Decimal("1.05"), Decimal("0.50"), "USD")
    assert (head.key, head.number, head.date) == ("7", 70, "2026-03-01")
    assert head.path == "/api/sl/Invoices/7"
    assert head_of(target("Orders"), row).open is None


def test_an_unknown_paid_amount_leaves_the_open_amount_unknown() -> None:
    row = HeadRow(doc_entry=1, doc_total=Decimal(10), document_status="bost_Open")
    assert head_of(target("Invoices"), row).open is None


def test_a_payments_total_is_the_sum_of_its_means() -> None:
    row = read_head(
        b'{"DocEntry":1,"CashSum":1.5,"TransferSum":2,"BillOfExchangeAmount":null,"DocCurrency":"USD",'
        b'"PaymentChecks":[{"CheckSum":3.25},{"CheckSum":null}],"PaymentCreditCards":[{"CreditSum":4}]}'
    )
    head = head_of(target("IncomingPayments"), row)
    assert (head.total, head.currency, head.state) == (Decimal("10.75"), None, "closed")


def test_a_joined_document_counts_once() -> None:
    rows = b'[{"Orders":{"DocEntry":1}},{"Orders":{"DocEntry":2}},{"Orders":{"DocEntry":1},"x":{}}]'
    assert [row.doc_entry for row in read_joined_heads(rows, "Orders")] == [1, 2]


def test_other_rows_are_unreadable() -> None:
    for body in (b"[]", b'{"DocEntry":"x"}', b"{"):
        with pytest.raises(ErpReplyUnreadable):
            read_head(body)
    for rows in (b"{}", b'[{"DocNum":1}]'):
        with pytest.raises(ErpReplyUnreadable):
            read_heads(rows)
        with pytest.raises(ErpReplyUnreadable):
            read_joined_heads(rows, "Orders")


def test_hidden_columns_are_not_read() -> None:
    resource = Resource(
        name="Quotes",
        key=IntKey("DocEntry"),
        read_menu="/x",
        write_menu=None,
        secret_fields={"doctotal", "DocTotalFC"},
    )
    registered = Registry((resource,), ()).find("Quotes")
    assert registered is not None
    columns = shown(DOCUMENT_COLUMNS, registered)
    assert set(DOCUMENT_COLUMNS) - set(columns) == {"DocTotal", "DocTotalFc"}

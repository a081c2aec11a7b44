"""The documents that can be made from each document, by the object types of their lines."""

from collections.abc import Mapping
from typing import Final

FOLLOWING: Final[Mapping[str, tuple[str, ...]]] = {
    "Quotations": ("Orders", "DeliveryNotes", "Invoices"),
    "Orders": ("DeliveryNotes", "Invoices", "DownPayments", "PurchaseOrders"),
    "DeliveryNotes": ("Invoices", "Returns", "ReturnRequest"),
    "ReturnRequest": ("Returns", "CreditNotes"),
    "Returns": ("CreditNotes",),
    "Invoices": ("CreditNotes", "ReturnRequest"),
    "DownPayments": ("CreditNotes",),
    "CreditNotes": (),
    "PurchaseRequests": ("PurchaseQuotations", "PurchaseOrders"),
    "PurchaseQuotations": ("PurchaseOrders",),
    "PurchaseOrders": ("PurchaseDeliveryNotes", "PurchaseInvoices", "PurchaseDownPayments"),
    "PurchaseDeliveryNotes": ("PurchaseInvoices", "PurchaseReturns", "GoodsReturnRequest"),
    "GoodsReturnRequest": ("PurchaseReturns", "PurchaseCreditNotes"),
    "PurchaseReturns": ("PurchaseCreditNotes",),
    "PurchaseInvoices": ("PurchaseCreditNotes", "GoodsReturnRequest"),
    "PurchaseDownPayments": ("PurchaseCreditNotes",),
    "PurchaseCreditNotes": (),
    "Drafts": (),
    "IncomingPayments": (),
    "VendorPayments": (),
}
"""Resources that have a flow, with those whose lines can be made from them."""

PAID_BY: Final[Mapping[str, str]] = {
    **dict.fromkeys(("Invoices", "CreditNotes", "DownPayments"), "IncomingPayments"),
    **dict.fromkeys(("PurchaseInvoices", "PurchaseCreditNotes", "PurchaseDownPayments"), "VendorPayments"),
}
"""The payments that settle a document."""

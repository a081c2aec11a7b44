"""Settlement of invoices by payments and by credit notes drawn from them."""

from __future__ import annotations

from decimal import Decimal

from erpsim.business.documents.base_documents import LINES
from erpsim.business.documents.lines import CLOSED, OPEN
from erpsim.company.company import Company
from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import as_decimal, as_int, normal
from erpsim.facts.document_kinds import BY_CODE, Kind

PAID = "PaidToDate"
"""Settled amount of an invoice in local money."""
PAID_FC = "PaidToDateFC"
"""The same in the document's currency, where that is another one."""


def open_balance(row: Fields) -> Decimal:
    """Return the open balance of an invoice."""
    return as_decimal(row.get("DocTotal")) - as_decimal(row.get(PAID))


def settle(company: Company, set_name: str, entry: int, amount: Decimal) -> None:
    """Settle an amount of an invoice, or reopen it with a negative amount. At zero balance the invoice
    closes.
    """
    row = company.get(set_name, (entry,))
    changed = {**row, PAID: normal(as_decimal(row.get(PAID)) + amount)}
    total, foreign = as_decimal(row.get("DocTotal")), as_decimal(row.get("DocTotalFc"))
    if foreign and total:
        paid = foreign * as_decimal(changed[PAID]) / total
        changed[PAID_FC] = normal(paid.quantize(Decimal("0.01")))
    company.update(set_name, {**changed, "DocumentStatus": CLOSED if open_balance(changed) <= 0 else OPEN})


def settle_bases(company: Company, kind: Kind, document: Fields, *, undo: bool = False) -> bool:
    """Settle the invoices that a credit note is drawn from. Returns whether there were any."""
    if not (kind.settled and kind.reverses):
        return False
    has_invoices = False
    for line in rows_of(document, LINES):
        base = BY_CODE.get(as_int(line.get("BaseType")))
        if base is not None and base.settled:
            amount = as_decimal(line.get("LineTotal")) + as_decimal(line.get("TaxTotal"))
            settle(company, base.set_name, as_int(line.get("BaseEntry")), -amount if undo else amount)
            has_invoices = True
    return has_invoices

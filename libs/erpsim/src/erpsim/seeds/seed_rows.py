"""Builds rows from the story's books, exactly as the simulator would have stored them."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from functools import lru_cache

from erpsim.business.documents.settlement import PAID, PAID_FC
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.values import ZERO, normal
from erpsim.facts.model import Facts
from erpsim.seeds.books import Books, Line, Paper, Payment, Posting
from erpsim.seeds.catalogue import warehouse_code
from erpsim.seeds.settings import ACCOUNTS, FIRST_NUMBER, TAX_PERCENT, primary_series
from erpsim.seeds.tracking import numbers_of
from erpsim.seeds.words import REMARKS

_ONE = Decimal("1.0")
_CHANNELS = ("WEB", "TEL", "SALA")


@lru_cache(maxsize=65536)
def _pesos(amount: int) -> Decimal:
    return Decimal(f"{amount}.0")


class SeedRows:
    """Builds the rows of the story's books.

    Args:
        books: the story's books.
        facts: for the members of enumerations.
    """

    def __init__(self, books: Books, facts: Facts) -> None:
        self._books = books
        self._objects = facts.enums["BoObjectTypes"].names
        self._origins = facts.enums["TransTypesEnum"].names

    def documents(self, name: str) -> list[Fields]:
        """Return the documents of a kind."""
        return [self._document(paper) for paper in self._books.papers[name]]

    def _document(self, paper: Paper) -> Fields:
        day, partner = paper.day.isoformat(), paper.partner
        total, tax = _pesos(paper.total), _pesos(sum(paper.taxes))
        lines: list[Value] = [self._line(paper, position) for position in range(len(paper.lines))]
        row: Fields = {
            "DocEntry": paper.entry,
            "DocNum": paper.number,
            "DocType": "dDocument_Items",
            "HandWritten": "tNO",
            "DocDate": day,
            "DocDueDate": paper.due.isoformat(),
            "TaxDate": day,
            "VatDate": day,
            "DocTime": f"{8 + paper.entry % 10:02d}:{paper.entry * 7 % 60:02d}:00",
            "DocCurrency": "CLP",
            "DocRate": _ONE,
            "DocTotal": total,
            "DocTotalSys": total,
            "VatSum": tax,
            "VatSumSys": tax,
            "DiscountPercent": ZERO,
            "SalesPersonCode": -1,
            "JournalMemo": paper.kind.set_name,
            "Series": primary_series(paper.kind.code),
            "DocObjectCode": self._objects[str(paper.kind.code)],
            "DocumentStatus": "bost_Close" if paper.closed else "bost_Open",
            "Cancelled": "tYES" if paper.cancelled else "tNO",
            "CancelStatus": "csYes" if paper.cancelled else "csNo",
            "CreationDate": day,
            "UpdateDate": day,
            "TransNum": paper.transaction,
            "DocumentLines": lines,
        }
        if paper.entry % 4 == 0:
            row["Comments"] = REMARKS[paper.entry // 4 % len(REMARKS)]
        if paper.kind.settled:
            row[PAID] = _pesos(paper.paid)
            row["FolioNumber"] = paper.entry
        if paper.rate != 1:
            row |= _in_currency(paper)
            if paper.kind.settled:
                row[PAID_FC] = normal((Decimal(paper.paid) / paper.rate).quantize(Decimal("0.01")))
        if partner is not None:
            row["CardCode"] = partner["CardCode"]
            row["CardName"] = partner["CardName"]
            row["Address"] = partner["Address"]
            row["FederalTaxID"] = partner["FederalTaxID"]
            row["PaymentGroupCode"] = partner["PayTermsGrpCode"]
            row["SalesPersonCode"] = partner["SalesPersonCode"]
            row["ShipToCode"] = partner["ShipToDefault"]
            row["PayToCode"] = partner["BilltoDefault"]
            row["ControlAccount"] = partner["DebitorAccount"]
            row["JournalMemo"] = f"{paper.kind.set_name} - {partner['CardCode']}"
            row["NumAtCard"] = f"REF-{paper.entry:05d}" if paper.entry % 3 == 0 else None
            row["U_CANAL"] = _CHANNELS[paper.entry % len(_CHANNELS)]
        return row

    def _line(self, paper: Paper, position: int) -> Fields:
        line, open_quantity, tax = paper.lines[position], paper.open[position], paper.taxes[position]
        item = self._books.items[line.item]
        price, quantity, total = _pesos(line.price), _pesos(line.quantity), _pesos(line.total)
        closed = not open_quantity or (paper.closed and not paper.kind.settled)
        percent = TAX_PERCENT if tax else 0
        row: Fields = {
            "LineNum": position,
            "DocEntry": paper.entry,
            "VisualOrder": position,
            "ItemCode": item.code,
            "ItemDescription": item.name,
            "Quantity": quantity,
            "InventoryQuantity": quantity,
            "UnitPrice": price,
            "Price": price,
            "PriceAfterVAT": _pesos(line.price) if not percent else _with_tax(line.price),
            "Currency": "CLP",
            "DiscountPercent": ZERO,
            "WarehouseCode": warehouse_code(line.place),
            "LineTotal": total,
            "RowTotalSC": total,
            "TaxTotal": _pesos(tax),
            "NetTaxAmount": _pesos(tax),
            "GrossTotal": _pesos(line.total + tax),
            "TaxPercentagePerRow": _pesos(percent),
            "MeasureUnit": item.unit,
            "UnitsOfMeasurment": _ONE,
            "UoMEntry": -1,
            "UoMCode": "Manual",
            "RemainingOpenQuantity": _pesos(open_quantity),
            "RemainingOpenInventoryQuantity": _pesos(open_quantity),
            "OpenAmount": _pesos(line.price * open_quantity),
            "LineStatus": "bost_Close" if closed else "bost_Open",
            "BaseType": line.base_code,
        }
        if paper.tax_code is not None:
            row["VatGroup"] = row["TaxCode"] = paper.tax_code
        if line.base_entry is not None:
            row["BaseEntry"] = line.base_entry
            row["BaseLine"] = line.base_line
        if line.factor != 1:
            row |= _in_boxes(line, open_quantity)
        if paper.rate != 1:
            row |= _in_foreign_money(line, paper, taxed=bool(percent))
        if item.managed:
            row |= numbers_of(paper, position, item.managed)
        return row

    def payments(self, name: str) -> list[Fields]:
        """Return the payments of one direction."""
        return [self._payment(name, payment) for payment in self._books.payments[name]]

    def _payment(self, name: str, payment: Payment) -> Fields:
        partner = payment.invoice.partner or {}
        day, amount = payment.day.isoformat(), _pesos(payment.amount)
        incoming = name == "IncomingPayments"
        applied: Fields = {
            "LineNum": 0,
            "DocEntry": payment.invoice.entry,
            "SumApplied": amount,
            "InvoiceType": "it_Invoice" if incoming else "it_PurchaseInvoice",
            "InstallmentId": 1,
        }
        return {
            "DocEntry": payment.entry,
            "DocNum": FIRST_NUMBER + payment.entry - 1,
            "DocType": "rCustomer" if incoming else "rSupplier",
            "HandWritten": "tNO",
            "DocDate": day,
            "DueDate": day,
            "TaxDate": day,
            "VatDate": day,
            "CardCode": partner["CardCode"],
            "CardName": partner["CardName"],
            "DocCurrency": "CLP",
            "DocRate": ZERO,
            "CashSum": amount if payment.in_cash else ZERO,
            "CashAccount": ACCOUNTS["cash"][0] if payment.in_cash else None,
            "TransferSum": ZERO if payment.in_cash else amount,
            "TransferAccount": None if payment.in_cash else ACCOUNTS["bank"][0],
            "TransferDate": None if payment.in_cash else day,
            "ControlAccount": partner["DebitorAccount"],
            "JournalRemarks": f"{name} - {partner['CardCode']}",
            "Series": primary_series(24 if incoming else 46),
            "Cancelled": "tNO",
            "DocObjectCode": "bopot_IncomingPayments" if incoming else "bopot_OutgoingPayments",
            "PaymentInvoices": [applied],
            "$transaction": payment.transaction,
        }

    def journal_entries(self) -> list[Fields]:
        """Return all journal entries."""
        return [self._entry(posting) for posting in self._books.postings]

    def _entry(self, posting: Posting) -> Fields:
        day, due = posting.day.isoformat(), posting.due.isoformat()
        reference = None if posting.origin_number is None else str(posting.origin_number)
        names = [partner or ACCOUNTS[role][0] for role, _, partner, _ in posting.lines]
        lines: list[Value] = []
        for position, (role, amount, _, tax_code) in enumerate(posting.lines):
            account = ACCOUNTS[role][0]
            contra = next(
                (
                    name
                    for name, line in zip(names, posting.lines, strict=True)
                    if (line[1] > 0) is not (amount > 0)
                ),
                None,
            )
            lines.append(
                {
                    "Line_ID": position,
                    "AccountCode": account,
                    "ControlAccount": account,
                    "ShortName": names[position],
                    "ContraAccount": contra,
                    "Debit": _pesos(amount) if amount > 0 else ZERO,
                    "Credit": ZERO if amount > 0 else _pesos(-amount),
                    "DueDate": due,
                    "ReferenceDate1": day,
                    "TaxDate": day,
                    "LineMemo": posting.memo,
                    "Reference1": reference,
                    "TaxGroup": tax_code,
                }
            )
        return {
            "JdtNum": posting.number,
            "Number": FIRST_NUMBER + posting.number - 1,
            "Series": primary_series(30),
            "ReferenceDate": day,
            "DueDate": due,
            "TaxDate": day,
            "VatDate": day,
            "Memo": posting.memo,
            "OriginalJournal": self._origins[str(posting.origin)],
            "Original": posting.origin_entry,
            "BaseReference": reference,
            "JournalEntryLines": lines,
        }

    def transfers(self) -> list[Fields]:
        """Return all stock transfers; their lines keep the target warehouse as the base line."""
        rows: list[Fields] = []
        for entry, (day, moved) in enumerate(self._books.transfers, 1):
            lines: list[Value] = [
                {
                    "LineNum": position,
                    "DocEntry": entry,
                    "ItemCode": self._books.items[line.item].code,
                    "ItemDescription": self._books.items[line.item].name,
                    "Quantity": _pesos(line.quantity),
                    "InventoryQuantity": _pesos(line.quantity),
                    "UnitsOfMeasurment": _ONE,
                    "FromWarehouseCode": warehouse_code(line.place),
                    "WarehouseCode": warehouse_code(line.base_line or 0),
                    "LineStatus": "bost_Close",
                }
                for position, line in enumerate(moved)
            ]
            rows.append(
                {
                    "DocEntry": entry,
                    "DocNum": FIRST_NUMBER + entry - 1,
                    "Series": primary_series(67),
                    "DocDate": day.isoformat(),
                    "DueDate": day.isoformat(),
                    "TaxDate": day.isoformat(),
                    "JournalMemo": "StockTransfers",
                    "DocObjectCode": "67",
                    "DocumentStatus": "bost_Close",
                    "StockTransferLines": lines,
                }
            )
        return rows

    def quantities(self) -> dict[int, dict[int, tuple[int, int, int]]]:
        """Return quantities in stock, committed and ordered, by item and warehouse."""
        amounts: dict[int, dict[int, list[int]]] = defaultdict(dict)
        for number, item in enumerate(self._books.items):
            for place in item.places:
                amounts[number][place] = [self._books.stock[number, place], 0, 0]
        for (number, place), stock in self._books.stock.items():
            amounts[number].setdefault(place, [stock, 0, 0])
        for name, kind in (("Orders", 1), ("PurchaseOrders", 2)):
            for paper in self._books.papers[name]:
                if not paper.closed:
                    for line, open_quantity in zip(paper.lines, paper.open, strict=True):
                        amounts[line.item][line.place][kind] += open_quantity
        return {
            number: {place: (values[0], values[1], values[2]) for place, values in places.items()}
            for number, places in amounts.items()
        }


def _in_currency(paper: Paper) -> Fields:
    net = sum(line.foreign * line.quantity for line in paper.lines)
    tax = normal(Decimal(net * TAX_PERCENT if any(paper.taxes) else 0) / 100)
    return {
        "DocCurrency": paper.currency,
        "DocRate": _pesos(paper.rate),
        "DocTotalFc": normal(net + tax),
        "VatSumFc": tax,
    }


@lru_cache(maxsize=65536)
def _with_tax(price: int) -> Decimal:
    whole, rest = divmod(price * (100 + TAX_PERCENT), 100)
    return Decimal(f"{whole}.{rest:02d}".rstrip("0") if rest else f"{whole}.0")


def _in_boxes(line: Line, open_quantity: int) -> Fields:
    return {
        "MeasureUnit": "CJ",
        "UnitsOfMeasurment": _pesos(line.factor),
        "InventoryQuantity": _pesos(line.quantity * line.factor),
        "RemainingOpenInventoryQuantity": _pesos(open_quantity * line.factor),
    }


def _in_foreign_money(line: Line, paper: Paper, *, taxed: bool) -> Fields:
    return {
        "UnitPrice": _pesos(line.foreign),
        "Price": _pesos(line.foreign),
        "PriceAfterVAT": _pesos(line.foreign) if not taxed else _with_tax(line.foreign),
        "Currency": paper.currency,
        "Rate": _pesos(paper.rate),
        "RowTotalFC": _pesos(line.foreign * line.quantity),
    }

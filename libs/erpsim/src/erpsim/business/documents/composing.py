"""Composes a complete document from a request: partner, dates, currency, lines, amounts. Stores nothing."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from erpsim.business.documents.base_documents import LINES, find_base, opened
from erpsim.business.documents.line_header import Header
from erpsim.business.documents.lines import new_line
from erpsim.business.documents.pricing import priced, tax_percent
from erpsim.business.documents.totals import DocumentAmounts, Rounding, discount_for_total, document_amounts
from erpsim.business.documents.validity import is_inactive
from erpsim.business.rates import decimals, rate
from erpsim.business.rules import ALL_CURRENCIES, check_references, number_collections
from erpsim.company.company import Company
from erpsim.company.errors import invalid, no_match, refused
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import ZERO, as_decimal, as_int, normal
from erpsim.facts.document_kinds import Kind, Side

_EXPENSES = "DocumentAdditionalExpenses"
_SERVICE = "dDocument_Service"


def compose(company: Company, kind: Kind, fields: Fields) -> Fields:
    """Return the complete document without its numbers and keys.

    Raises:
        SlError: the document breaks a business rule.
    """
    check_references(company, company.row_type(kind.set_name).type, _without(fields, "CardCode"))
    partner = find_partner(company, kind, fields.get("CardCode"), _day(company, fields))
    if company.switches.branches and fields.get("BPL_IDAssignedToInvoice") is None:
        raise no_match()  # a missing branch shows up as -2028 (seen live)
    fields = {name: value for name, value in fields.items() if value is not None}
    document = {**_header_defaults(company, kind, partner, fields), **fields}
    sent_lines = rows_of(number_collections(company.row_type(kind.set_name), fields), LINES)
    if not sent_lines:
        raise invalid(f"No rows in the document  [{kind.table}.DocEntry]")  # assumed text
    header = header_of(company, kind, document)
    lines = [
        _compose_line(company, header, sent_line, position)
        for position, sent_line in enumerate(sent_lines, 1)
    ]
    document[LINES] = list[Value](lines)
    document = totalled(company, header, document, wished_total=fields.get("DocTotal"))
    document[LINES] = [opened(line, as_decimal(line["Quantity"])) for line in rows_of(document, LINES)]
    return document


def _without(fields: Fields, name: str) -> Fields:
    return {key: value for key, value in fields.items() if key != name}


def _compose_line(company: Company, header: Header, sent_line: Fields, position: int) -> Fields:
    card_code = None if header.partner is None else header.partner.get("CardCode")
    base = find_base(company, header.kind, card_code, sent_line, position)
    line = new_line(company, header, sent_line, None if base is None else base.line, position)
    line.setdefault("VisualOrder", position - 1)
    return line


def _day(company: Company, fields: Fields) -> str:
    return str(fields.get("DocDate") or company.today())


def find_partner(company: Company, kind: Kind, card_code: Value, day: str) -> Fields | None:
    """Return the partner of a document, active on its posting date.

    Raises:
        SlError: unknown, of the wrong side, or inactive; the text as captured on receipts, the number is the
            usual one of an object's own checks.
    """
    if kind.side is Side.INVENTORY:
        return None
    partner = company.find("BusinessPartners", str(card_code)) if card_code else None
    if partner is None or partner.get("CardType") != kind.side.value:
        raise invalid(f"Invalid BP code  [{kind.table}.CardCode] , '{card_code or ''}'")
    if is_inactive(partner, day):
        raise refused(f"Business partner is inactive  [{kind.table}.CardCode]")  # assumed text
    return partner


def _header_defaults(company: Company, kind: Kind, partner: Fields | None, fields: Fields) -> Fields:
    day = _day(company, fields)
    header: Fields = {
        "DocType": "dDocument_Items",
        "HandWritten": "tNO",
        "DocDate": day,
        "DocDueDate": day,
        "TaxDate": day,
        "VatDate": day,
        "DocTime": company.minute(),
        "DocCurrency": company.local_currency,
        "DiscountPercent": ZERO,
        "DocObjectCode": company.enum_member("BoObjectTypes", str(kind.code)),
        "DocumentStatus": "bost_Open",
        "Cancelled": "tNO",
        "CancelStatus": "csNo",
        "SalesPersonCode": -1,
        "JournalMemo": kind.set_name,
    }
    if partner is None:
        return header
    currency = partner.get("Currency")
    terms = partner.get("PayTermsGrpCode")
    header |= {
        "CardName": partner.get("CardName"),
        "Address": partner.get("Address"),
        "FederalTaxID": partner.get("FederalTaxID"),
        "DocCurrency": company.local_currency if currency in {None, ALL_CURRENCIES} else currency,
        "PaymentGroupCode": terms,
        "SalesPersonCode": partner.get("SalesPersonCode", -1),
        "ShipToCode": partner.get("ShipToDefault"),
        "PayToCode": partner.get("BilltoDefault"),
        "DiscountPercent": ZERO,
        "ControlAccount": partner.get("DebitorAccount"),
        "JournalMemo": f"{kind.set_name} - {partner.get('CardCode')}",
    }
    if kind.settled:
        header["DocDueDate"] = due_date(company, day, terms)
    return header


def due_date(company: Company, day: str, terms: Value) -> str:
    """Return the due date by payment terms: months, then days (`NumberOfAdditionalMonths`, `...Days`)."""
    group = company.find("PaymentTermsTypes", terms) if isinstance(terms, int) else None
    if group is None:
        return day
    months, days = as_int(group.get("NumberOfAdditionalMonths")), as_int(group.get("NumberOfAdditionalDays"))
    start = date.fromisoformat(day)
    month = start.month - 1 + months
    year, month = start.year + month // 12, month % 12 + 1
    last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)).day
    return (date(year, month, min(start.day, last)) + timedelta(days=days)).isoformat()


def header_of(company: Company, kind: Kind, document: Fields) -> Header:
    """Return the header fields that the document's lines depend on.

    Raises:
        SlError: its currency is unknown or has no rate.
    """
    currency = str(document["DocCurrency"])
    local = company.local_currency
    sent_rate = document.get("DocRate")
    exchange = rate(company, currency, str(document["DocDate"]))
    if isinstance(sent_rate, Decimal) and sent_rate > 0 and currency != local:
        exchange = sent_rate
    partner = (
        company.find("BusinessPartners", str(document["CardCode"])) if document.get("CardCode") else None
    )
    return Header(
        kind=kind,
        partner=partner,
        currency=currency,
        rounding=Rounding(decimals(company, local), decimals(company, currency), exchange),
        date=str(document["TaxDate"]),
        posting_date=str(document["DocDate"]),
        discount=as_decimal(document.get("DiscountPercent")),
        service=document.get("DocType") == _SERVICE,
    )


def totalled(company: Company, header: Header, document: Fields, *, wished_total: Value = None) -> Fields:
    """Return a document with the amounts of its lines and its header.

    A requested total (`DocTotal` in the body) becomes a header discount, as in the window.
    """
    if isinstance(wished_total, Decimal):
        header, document = _discounted_to(company, header, document, wished_total)
    lines, amounts = _amounts(company, header, document)
    rounding = header.rounding
    foreign = rounding.rate != 1
    tax = sum((as_decimal(line["TaxTotal"]) for line in lines), Decimal(0))
    if foreign:
        net = sum((as_decimal(line["LineTotal"]) for line in lines), Decimal(0))
        discount, freight = rounding.in_local(amounts.discount), rounding.in_local(amounts.expenses)
        tax = rounding.in_local(amounts.tax)
        total = normal(net - discount + freight + tax)
    else:
        discount, tax, total = amounts.discount, amounts.tax, amounts.total
    return {
        **document,
        LINES: list[Value](lines),
        "DocRate": rounding.rate,
        "DiscountPercent": header.discount,
        "TotalDiscount": discount,
        "TotalDiscountFC": amounts.discount if foreign else ZERO,
        "TotalDiscountSC": discount,
        "VatSum": normal(tax),
        "VatSumFc": amounts.tax if foreign else ZERO,
        "VatSumSys": normal(tax),
        "DocTotal": total,
        "DocTotalFc": amounts.total if foreign else ZERO,
        "DocTotalSys": total,
    }


def _amounts(company: Company, header: Header, document: Fields) -> tuple[list[Fields], DocumentAmounts]:
    results = [priced(header, line) for line in rows_of(document, LINES)]
    expenses = [
        (
            as_decimal(row.get("LineTotal")),
            tax_percent(company, row.get("VatGroup") or row.get("TaxCode"), header.date),
        )
        for row in rows_of(document, _EXPENSES)
    ]
    amounts = document_amounts(
        (each for _, each in results), expenses, header.discount, header.rounding.document
    )
    return [line for line, _ in results], amounts


def _discounted_to(
    company: Company, header: Header, document: Fields, total: Decimal
) -> tuple[Header, Fields]:
    undiscounted = {**document, "DiscountPercent": ZERO}
    plain = header_of(company, header.kind, undiscounted)
    lines, amounts = _amounts(company, plain, undiscounted)
    results = [priced(plain, line)[1] for line in lines]
    reducible = sum((each.total + each.tax for each in results), Decimal(0))
    percent = discount_for_total(total, amounts, reducible)
    discounted = {**document, "DiscountPercent": percent}
    return header_of(company, header.kind, discounted), discounted

"""The answer about a partner's account."""

from datetime import datetime
from decimal import Decimal

from attrs import frozen

from erp_gateway.records.documents.head import DocumentHead


@frozen(kw_only=True)
class Ages:
    """Open amounts by the days since they were due."""

    not_due: Decimal = Decimal()
    days1_to30: Decimal = Decimal()
    days31_to60: Decimal = Decimal()
    days61_to90: Decimal = Decimal()
    over90: Decimal = Decimal()


@frozen(kw_only=True)
class CurrencyAccount:
    """Open amounts in one currency; credit notes count negative.

    Attributes:
        currency: code of the currency; None for the company's own.
        total: sum of the open amounts.
        ages: the same by age.
    """

    currency: str | None
    total: Decimal
    ages: Ages


@frozen(kw_only=True)
class PartnerAccount:
    """Open invoices of a partner.

    Attributes:
        card_code: the partner.
        card_name: its name.
        balance: its account balance in the company's currency; None where the reader may not see it.
        currency: the currency that is agreed with it; `##` for any.
        accounts: open amounts by currency.
        documents: open invoices and credit notes, the first due first.
        has_hidden: whether there are open documents that the reader may not read.
        is_complete: whether these are all: False if the ERP refused a read or there are too many.
        open_known: whether the ERP says what of them is paid; otherwise totals stand for open amounts.
        read_at: when it was read from the ERP.
    """

    card_code: str
    card_name: str | None
    balance: Decimal | None
    currency: str | None
    accounts: tuple[CurrencyAccount, ...]
    documents: tuple[DocumentHead, ...]
    has_hidden: bool
    is_complete: bool
    open_known: bool
    read_at: datetime

"""Currencies: exchange rates and decimals."""

from __future__ import annotations

from decimal import Decimal

from erpsim.company.company import Company
from erpsim.company.errors import refused
from erpsim.company.exchange import Fields
from erpsim.company.rows.values import normal

TABLE = "$Rates"
_DECIMALS = {"cdWithoutDecimals": 0, "cd1Digit": 1, "cd2Digits": 2, "cd3Digits": 3, "cd4Digits": 4}
_ONE = Decimal("1.0")
_DEFAULT_DECIMALS = 2


def rate(company: Company, currency: str, day: str) -> Decimal:
    """Return the exchange rate of a currency on a day (`YYYY-MM-DD`): local money per unit.

    A day without a rate uses the last earlier rate, so that the demo works on any day. A real company refuses
    instead, as does this one with the switch `daily_rates` and for a currency without any rate.

    Raises:
        SlError: -10 without a rate.
    """
    if currency == company.local_currency:
        return _ONE
    exact = company.database.get(TABLE, (currency, day))
    if exact is None and not company.switches.daily_rates:
        earlier = [
            row for row in company.rows(TABLE) if row["Currency"] == currency and str(row["Date"]) <= day
        ]
        exact = earlier[-1] if earlier else None
    value = None if exact is None else exact.get("Rate")
    if not isinstance(value, Decimal):
        raise refused(f"Update the exchange rate , '{currency}'")
    return value


def set_rate(company: Company, currency: str, day: str, value: Decimal) -> None:
    """Store a rate."""
    row: Fields = {"Currency": currency, "Date": day, "Rate": normal(value)}
    company.database.put(TABLE, (currency, day), row)


def decimals(company: Company, currency: str) -> int:
    """Return the decimals of a currency's amounts."""
    row = company.find("Currencies", currency)
    decimals_member = row.get("Decimals") if row else None
    if isinstance(decimals_member, str) and decimals_member in _DECIMALS:
        return _DECIMALS[decimals_member]
    accuracy = company.admin_info().get("TotalsAccuracy")
    return accuracy if isinstance(accuracy, int) else _DEFAULT_DECIMALS

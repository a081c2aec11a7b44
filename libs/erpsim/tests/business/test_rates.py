"""Exchange rates and decimals."""

from __future__ import annotations

from decimal import Decimal

from erpsim.business.rates import decimals, rate
from erpsim.company.switches import Switches
from erpsim.desk import Desk


def test_a_day_without_rate_uses_the_last_one_unless_daily_rates_are_required(desk: Desk) -> None:
    set_rate = {"Currency": "USD", "RateDate": "2030-01-01", "Rate": 950}
    desk.service("SBOBobService_SetCurrencyRate", set_rate)
    company = desk.world.company
    assert rate(company, "USD", "2030-01-02") == Decimal(950)
    desk.world.switches = Switches(daily_rates=True)
    assert rate(company, "USD", "2030-01-01") == Decimal(950)
    refusal = desk.refusal(rate, company, "USD", "2030-01-02")
    assert (refusal.code, refusal.text) == (-10, "Update the exchange rate , 'USD'")


def test_a_currency_without_decimals_uses_those_of_the_company(desk: Desk) -> None:
    desk.create("Currencies", {"Code": "PEN", "Name": "Sol", "Decimals": "cdDefault"})
    assert decimals(desk.world.company, "PEN") == 0
    assert decimals(desk.world.company, "USD") == 2
    assert decimals(desk.world.company, "UF") == 4

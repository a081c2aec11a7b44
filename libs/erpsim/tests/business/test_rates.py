"""Exchange rates and decimals."""

from __future__ import annotations

from erpsim.business.rates import decimals
from erpsim.desk import Desk


def test_a_currency_without_decimals_of_its_own_takes_the_companys(desk: Desk) -> None:
    desk.create("Currencies", {"Code": "PEN", "Name": "Sol", "Decimals": "cdDefault"})
    assert decimals(desk.world.company, "PEN") == 0
    assert decimals(desk.world.company, "USD") == 2
    assert decimals(desk.world.company, "UF") == 4

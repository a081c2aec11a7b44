"""User table `@DTE_CONFC` with the address and credentials of the tax-document service."""

from __future__ import annotations

from erpsim.business.tax_configuration import CONFIGURATION, FIRST_ROW
from erpsim.company.company import Company


def credentials() -> tuple[str, str]:
    """Return the accepted user and password: those of the seed, regardless of the table."""
    return str(FIRST_ROW["U_Usuario"]), str(FIRST_ROW["U_Clave"])


def note_address(company: Company, url: str) -> None:
    """Write the service's address into the first row of the table, if the company has it."""
    row = company.find(CONFIGURATION, str(FIRST_ROW["Code"]))
    if row is not None and row.get("U_Url") != url:
        with company.transaction():
            company.update(CONFIGURATION, {**row, "U_Url": url})

"""What stands on every sheet of the company."""

from typing import Final

from attrs import frozen


@frozen(kw_only=True)
class Company:
    """The letterhead.

    Attributes:
        name: registered name.
        trade: line of business (giro).
        tax_id: RUT as the ERP keeps it, `76543210-3`.
        address: street and number.
        town: where it is.
        contact: how to reach it.
    """

    name: str
    trade: str
    tax_id: str
    address: str
    town: str
    contact: str


COMPANY: Final = Company(
    name="Comercial Demo SpA",
    trade="Ferretería industrial y materiales de construcción",
    tax_id="76543210-3",
    address="Camino Melipilla 1234",
    town="Maipú",
    contact="contacto@demo.example · +56 2 2345 6789",
)

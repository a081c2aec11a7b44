"""Customers and suppliers."""

from __future__ import annotations

from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.values import normal
from erpsim.seeds.dice import Dice
from erpsim.seeds.scale import Scale
from erpsim.seeds.settings import ACCOUNTS
from erpsim.seeds.words import BUSINESSES, CITIES, FORMS, GIVEN, STREETS, SURNAMES, TRADES

_RUT_WEIGHTS = (2, 3, 4, 5, 6, 7)
_TERMS = (-1, 1, 1, 2, 3)


def tax_number(body: int) -> str:
    """Return a Chilean tax number (RUT) with its check digit: `76123456-0`."""
    total = sum(int(digit) * _RUT_WEIGHTS[place % 6] for place, digit in enumerate(reversed(str(body))))
    check = 11 - total % 11
    return f"{body}-{'0' if check == 11 else 'K' if check == 10 else check}"  # noqa: PLR2004 - the rule's own numbers


def partner_code(number: int, *, supplier: bool) -> str:
    """Return a partner's code, counted from 0."""
    return f"{'P' if supplier else 'C'}{number + 1:05d}"


def make_partners(scale: Scale) -> list[Fields]:
    """Invent the partners, customers first; balances come with the documents."""
    dice = Dice(f"partners {scale.name}")
    rows = [_partner(dice, number, supplier=False) for number in range(scale.customers)]
    every = scale.foreign_every
    rows += [
        _partner(dice, number, supplier=True, foreign=(number + 1) % every == 0)
        for number in range(scale.suppliers)
    ]
    for contact, row in enumerate(rows, 1):
        row["ContactEmployees"] = [_contact(dice, contact, row)]
    return rows


def _partner(dice: Dice, number: int, *, supplier: bool, foreign: bool = False) -> Fields:
    code = partner_code(number, supplier=supplier)
    name = f"{dice.pick(TRADES)} {dice.pick(SURNAMES)} {dice.pick(FORMS)}"
    city, region = dice.pick(CITIES)
    street = f"{dice.pick(STREETS)} {dice.between(10, 9900)}"
    address: Fields = {"Street": street, "City": city, "State": region, "Country": "CL", "BPCode": code}
    addresses: list[Value] = [
        {**address, "AddressName": "Facturación", "AddressType": "bo_BillTo", "RowNum": 0},
        {**address, "AddressName": "Despacho", "AddressType": "bo_ShipTo", "RowNum": 1},
    ]
    return {
        "CardCode": code,
        "CardName": name,
        "CardType": "cSupplier" if supplier else "cCustomer",
        "GroupCode": (103 if foreign else 101) if supplier else (102 if number % 5 == 0 else 100),
        "FederalTaxID": tax_number(76000000 + dice.below(3900000)),
        "Address": street,
        "City": city,
        "Country": "CL",
        "BillToState": region,
        "Phone1": f"+56 2 2{dice.below(10000000):07d}",
        "EmailAddress": f"contacto@{code.lower()}.example",
        "Currency": "##" if foreign else "CLP",
        "PriceListNum": 4 if supplier else dice.between(1, 3),
        "PayTermsGrpCode": dice.pick(_TERMS),
        "SalesPersonCode": -1 if supplier else dice.between(1, 2),
        "CreditLimit": normal(dice.between(1, 50) * 1000000),
        "DebitorAccount": ACCOUNTS["payable" if supplier else "receivable"][0],
        "ShipToDefault": "Despacho",
        "BilltoDefault": "Facturación",
        "VatLiable": "vExempted" if (number + 1) % 60 == 0 else "vLiable",
        "Valid": "tYES",
        "Frozen": "tYES" if (number + 1) % 90 == 0 else "tNO",
        "CreateDate": "2023-06-01",
        "UpdateDate": "2025-12-30",
        "U_GIRO": dice.pick(BUSINESSES),
        "BPAddresses": addresses,
    }


def _contact(dice: Dice, number: int, partner: Fields) -> Value:
    first, last = dice.pick(GIVEN), dice.pick(SURNAMES)
    return {
        "CardCode": partner["CardCode"],
        "InternalCode": number,
        "Name": f"{first} {last}",
        "FirstName": first,
        "LastName": last,
        "E_Mail": f"contacto{number}@demo.example",
    }

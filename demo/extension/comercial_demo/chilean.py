"""Numbers, dates and names as people in Chile write them: `1.342.379`, `7,5`, `04-01-2025`."""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

_MONTHS: Final = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
)  # fmt: skip


def exact(value: object) -> Decimal:
    """Return a number of a query as a decimal: engines give `int`, `float` or `Decimal`; nothing is zero."""
    return Decimal(0) if value is None else Decimal(str(value))


def quantity(value: object, decimals: int = 2) -> str:
    """Return a number with points between thousands, and a decimal comma where it is not whole."""
    number = exact(value).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    whole, _, fraction = f"{number:,f}".partition(".")
    fraction = fraction.rstrip("0")
    text = whole.replace(",", ".") + (f",{fraction}" if fraction else "")
    return "0" if text == "-0" else text


def millions(value: object) -> str:
    """Return an amount in millions with one decimal: `51,4`."""
    return f"{exact(value) / 1_000_000:.1f}".replace(".", ",")


def pesos(value: object) -> str:
    """Return an amount in pesos, which have no cents: `$ 1.342.379`."""
    return f"$\N{NO-BREAK SPACE}{quantity(value, 0)}"


def price(value: object) -> str:
    """Return a price in pesos, which may have decimals: `$ 1.250`, `$ 1.250,50`."""
    number = exact(value).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
    whole, _, cents = f"{number:,f}".partition(".")
    return pesos(number) if cents == "00" else f"$\N{NO-BREAK SPACE}{whole.replace(',', '.')},{cents}"


def percent(part: object, whole: object) -> str:
    """Return a share with one decimal: `12,5 %`; a dash where there is no whole."""
    if not exact(whole):
        return "\N{EN DASH}"
    share = (exact(part) * 100 / exact(whole)).quantize(Decimal("0.1"), rounding=ROUND_HALF_UP)
    return f"{share:f}".replace(".", ",") + "\N{NO-BREAK SPACE}%"


def day(value: object) -> str:
    """Return a day as `04-01-2025`; engines give a date, a moment or ISO text, and nothing is empty."""
    if value is None:
        return ""
    return date.fromisoformat(str(value)[:10]).strftime("%d-%m-%Y")


def long_day(value: object) -> str:
    """Return a day as `4 de enero de 2025`, as above a signature."""
    moment = date.fromisoformat(str(value)[:10])
    return f"{moment.day} de {_MONTHS[moment.month - 1]} de {moment.year}"


def month(value: str, *, short: bool = False) -> str:
    """Return a month given as `2025-03`: `marzo de 2025`, or `mar 25`."""
    year, number = value.split("-")
    name = _MONTHS[int(number) - 1]
    return f"{name[:3]} {year[2:]}" if short else f"{name} de {year}"


def rut(value: object) -> str:
    """Return a tax number with its points: `76.543.210-3`; anything else as it is."""
    digits, dash, check = str(value or "").partition("-")
    return f"{int(digits):,}".replace(",", ".") + dash + check if digits.isdigit() else str(value or "")

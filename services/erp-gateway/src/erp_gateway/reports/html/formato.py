"""`formato` of every template: numbers, dates, tax numbers and paper in Chilean notation.

Its names are Spanish, because templates contain them: `${formato.dinero(total)}`.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Final

# As the ERP writes it, and as a sheet reads it that a figure is copied into.
_MINUS: Final = "-"

_NARROW: Final = "\N{NO-BREAK SPACE}"
_RUT_DIGITS: Final = 9
_SHEETS: Final[Mapping[str, str]] = {
    **{
        name.casefold(): name
        for name in ("A3", "A4", "A5", "B4", "B5", "JIS-B4", "JIS-B5", "letter", "legal", "ledger")
    },
    "carta": "letter",
}
_TURNS: Final[Mapping[str, str]] = {
    "landscape": "landscape",
    "horizontal": "landscape",
    "portrait": "portrait",
    "vertical": "portrait",
}
_LENGTH: Final = re.compile(r"\d+(\.\d+)?(mm|cm|in|pt|pc|px|q)")


def cantidad(valor: object, decimales: int = 2) -> str:
    """Format a number with thousands points and a decimal comma: `1.234,5`; empty for None.

    Raises:
        TypeError: it is no number, nor a text.
        ValueError: it is a text that is no number.
    """
    if valor is None:
        return ""
    number = _number(valor).quantize(Decimal(1).scaleb(-decimales), rounding=ROUND_HALF_UP)
    whole, _, fraction = f"{abs(number):,f}".partition(".")
    fraction = fraction.rstrip("0")
    text = whole.replace(",", ".") + (f",{fraction}" if fraction else "")
    return f"{_MINUS}{text}" if number < 0 else text


def dinero(valor: object, decimales: int = 0, simbolo: str = "$") -> str:
    """Format an amount, by default in whole pesos: `$ 1.342.379`, `$ -34.000`.

    Raises:
        TypeError: it is no number, nor a text.
        ValueError: it is a text that is no number.
    """
    if valor is None:
        return ""
    number = _number(valor).quantize(Decimal(1).scaleb(-decimales), rounding=ROUND_HALF_UP)
    whole, _, cents = f"{abs(number):,f}".partition(".")
    text = whole.replace(",", ".") + (f",{cents}" if cents else "")
    return f"{simbolo}{_NARROW}{_MINUS if number < 0 else ''}{text}"


def fecha(valor: object) -> str:
    """Format a day as `04-01-2025`, also the day of a timestamp; empty for None.

    Raises:
        ValueError: neither a date nor a text that begins with one, such as `2025-01-04`.
    """
    return "" if valor is None else date.fromisoformat(str(valor)[:10]).strftime("%d-%m-%Y")


def rut(valor: object) -> str:
    """Format a tax number with points: `76.543.210-3`; other texts are unchanged, None is empty."""
    text = str(valor or "").strip()
    digits, dash, check = text.replace(".", "").partition("-")
    is_rut = digits.isascii() and digits.isdigit() and len(digits) <= _RUT_DIGITS and dash and len(check) == 1
    return f"{int(digits):,}".replace(",", ".") + f"-{check.upper()}" if is_rut else text


def porcentaje(parte: object, total: object) -> str:
    """Format a share with one decimal, `12,5 %`; a dash if the total is zero or missing.

    Raises:
        TypeError: one of them is no number, nor a text.
        ValueError: one of them is a text that is no number.
    """
    whole = _number(total)
    return _percent(_number(parte) * 100 / whole) if whole else "\N{EN DASH}"


def participaciones(valores: Iterable[object]) -> list[str]:
    """Format each value's share of the sum, so that the displayed shares add up to `100,0 %`.

    Rounding each share alone would not: three equal shares are 33,4 33,3 and 33,3. The remaining tenths go to
    the shares with the largest remainders. If the sum is zero, all are dashes.

    Raises:
        TypeError: one of them is no number, nor a text.
        ValueError: one of them is a text that is no number.
    """
    numbers = [_number(each) for each in valores]
    whole = sum(numbers, Decimal(0))
    if not whole:
        return ["\N{EN DASH}"] * len(numbers)
    exact = [number * 1000 / whole for number in numbers]
    shown = [each.to_integral_value(rounding=ROUND_FLOOR) for each in exact]
    missing = int(1000 - sum(shown, Decimal(0)))
    by_cut = sorted(range(len(exact)), key=lambda place: shown[place] - exact[place])
    for place in by_cut[:missing]:
        shown[place] += 1
    return [_percent(each / 10) for each in shown]


def texto_css(valor: object) -> str:
    """Quote a text for `content: "…"` in a style sheet, so that it cannot end the text or the sheet."""
    text = "" if valor is None else str(valor)
    return "".join(each if each.isalnum() else f"\\{ord(each):x} " for each in text)


def papel(valor: object) -> str:
    """Return a paper size for `size` of `@page`: `Carta` is `letter`, `Oficio` is `216mm 330mm` (not Legal).

    Takes the names of CSS, too, `horizontal` or `vertical` behind a name, and one or two lengths.

    Raises:
        ValueError: it is not a paper size.
    """
    words = str(valor).casefold().split()
    sizes = [word for word in words if word not in _TURNS]
    turns = [_TURNS[word] for word in words if word in _TURNS]
    match sizes, turns:
        case [name], [] | [_] if name in _SHEETS:
            return " ".join([_SHEETS[name], *turns])
        case ["oficio"], [] | ["portrait"]:
            return "216mm 330mm"
        case ["oficio"], ["landscape"]:
            return "330mm 216mm"
        case [_] | [_, _], [] if all(map(_LENGTH.fullmatch, sizes)):
            return " ".join(sizes)
        case _:
            examples = "Carta, Oficio, A4, A4 horizontal, legal, 80mm 200mm, …"
            raise ValueError(f"{str(valor).strip()!r} is no paper size; allowed: {examples}")


def _percent(share: Decimal) -> str:
    text = f"{share.quantize(Decimal('0.1'), rounding=ROUND_HALF_UP):f}".replace(".", ",")
    return f"{text}{_NARROW}%"


def _number(valor: object) -> Decimal:
    if isinstance(valor, bool | date | datetime) or not isinstance(valor, int | float | Decimal | str):
        raise TypeError(f"a {type(valor).__name__} is no number")
    try:
        number = Decimal(str(valor))
    except ArithmeticError as error:
        raise ValueError(f"the text {valor!r} is no number") from error
    if not number.is_finite():
        raise ValueError(f"{valor} can't be shown as a number")
    return number

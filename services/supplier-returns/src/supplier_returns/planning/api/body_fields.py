"""What single fields of the planning routes' bodies may hold: validators, and how long things may be."""

from decimal import Decimal
from typing import Any, Final

from servicekit.endpoint import InvalidValue
from supplier_returns.pasting.table import PasteLimits

MAX_DECIMALS: Final = 6
MAX_INTEGER_DIGITS: Final = 12
MAX_COMMENT: Final = 254
MAX_CARD_CODE: Final = 15
MAX_BATCH: Final = 36
MAX_PICKS: Final = 1_000
LIMITS: Final = PasteLimits()


def text_of(least: int, most: int, *, line_breaks: bool = False) -> Any:
    """Make a check that a text has so many characters and can be shown; None passes."""

    def check(_instance: object, _attribute: object, value: str | None) -> None:
        if value is None:
            return
        if not least <= len(value) <= most:
            raise InvalidValue(
                f"Debe tener entre {least} y {most} caracteres."
                if least
                else f"Debe tener hasta {most} caracteres."
            )
        if not (value.replace("\n", "") if line_breaks else value).isprintable():
            raise InvalidValue("Contiene caracteres no válidos.")

    return check


def check_quantity(_instance: object, _attribute: Any, value: Any) -> None:
    """Check that a quantity is above zero, not too large, and has few decimals; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    if value is None:
        return
    if value <= 0:
        raise InvalidValue("Debe ser mayor que cero.")
    if value >= 10**MAX_INTEGER_DIGITS:
        raise InvalidValue("Es demasiado grande.")
    if value != value.quantize(Decimal(1).scaleb(-MAX_DECIMALS)):
        raise InvalidValue(f"Puede tener hasta {MAX_DECIMALS} decimales.")


def check_positive(_instance: object, _attribute: object, value: int | None) -> None:
    """Check that a number can be a key of the ERP's; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    if value is not None and not 0 < value < 2**31:
        raise InvalidValue("Debe ser un número entero mayor que cero.")


def check_rows(_instance: object, _attribute: object, value: tuple[int, ...]) -> None:
    """Check that these can be rows of a paste.

    Raises:
        InvalidValue: It is otherwise.
    """
    if len(value) > LIMITS.rows or any(not 0 < row < 2**31 for row in value):
        raise InvalidValue("Deben ser números de fila.")


def check_digest(_instance: object, _attribute: object, value: str | None) -> None:
    """Check that a text is a SHA-256 digest in hex; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    if value is not None and (len(value) != 64 or set(value) - set("0123456789abcdef")):  # noqa: PLR2004
        raise InvalidValue("No es una huella de la vista previa.")


def check_few(_instance: object, _attribute: Any, value: Any) -> None:
    """Check that a line has no more picks than it may have; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    if value is not None and len(value) > MAX_PICKS:
        raise InvalidValue(f"Puede tener hasta {MAX_PICKS} elementos.")


def check_serials(_instance: object, _attribute: object, value: tuple[str, ...] | None) -> None:
    """Check serial numbers: few, each of a possible length, each once; None passes.

    Raises:
        InvalidValue: It is otherwise.
    """
    check_few(_instance, _attribute, value)
    seen: set[str] = set()
    for index, serial in enumerate(value or ()):
        if not 1 <= len(serial) <= MAX_BATCH or not serial.isprintable():
            raise InvalidValue(f"Debe tener entre 1 y {MAX_BATCH} caracteres.", f"[{index}]")
        if serial in seen:
            raise InvalidValue("Está repetida.", f"[{index}]")
        seen.add(serial)

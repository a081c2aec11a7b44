"""Fields of a return that the installation asks of each planning, and what a person may answer."""

import enum
import re
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Final

from attrs import field, frozen

MAX_TEXT: Final = 254

_NUMBER: Final = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class CustomFieldKind(enum.Enum):
    """What a field holds; the value is its name on the wire."""

    TEXT = "texto"
    NUMBER = "numero"
    DATE = "fecha"


@frozen(kw_only=True)
class CustomField:
    """A field of the return's header that a person fills in.

    Attributes:
        name: As the Service Layer spells it.
        label: For people.
        is_required: Whether nothing is returned before it is filled in.
        values: The only ones that it may have, each with its name; empty for any.
    """

    name: str
    label: str
    kind: CustomFieldKind = CustomFieldKind.TEXT
    is_required: bool = False
    values: Mapping[str, str] = field(factory=dict)

    def fault_of(self, answer: str) -> str | None:
        """Say in Spanish what is wrong with an answer, None when nothing is."""
        if self.values:
            return None if answer in self.values else "No es un valor válido de ese campo."
        if self.kind is CustomFieldKind.NUMBER:
            return None if _NUMBER.fullmatch(answer) else "Debe ser un número como 3 o 1.5."
        if self.kind is CustomFieldKind.DATE:
            return None if _is_date(answer) else "Debe ser una fecha como 2026-01-31."
        if not 1 <= len(answer) <= MAX_TEXT:
            return f"Debe tener entre 1 y {MAX_TEXT} caracteres."
        return None if answer.isprintable() else "Contiene caracteres no válidos."

    def sent(self, answer: str) -> str | Decimal:
        """Return an answer as the ERP takes it; one from before the field was a number goes as it is."""
        is_number = self.kind is CustomFieldKind.NUMBER and _NUMBER.fullmatch(answer)
        return Decimal(answer) if is_number else answer


def missing_required(asked: Iterable[CustomField], answers: Mapping[str, str]) -> list[str]:
    """Name the required fields that have no answer."""
    return [each.name for each in asked if each.is_required and each.name not in answers]


def _is_date(answer: str) -> bool:
    try:
        date.fromisoformat(answer if _DATE.fullmatch(answer) else "")
    except ValueError:
        return False
    return True

"""Fields of a return that an installation adds to each planning, and their valid values."""

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
    """Type of a field. The value is its API name."""

    TEXT = "texto"
    NUMBER = "numero"
    DATE = "fecha"


@frozen(kw_only=True)
class CustomField:
    """Header field of the return that users fill in.

    Attributes:
        name: property name in the Service Layer.
        label: label for users.
        is_required: whether an execution requires a value.
        values: valid values with their names. Empty allows any.
    """

    name: str
    label: str
    kind: CustomFieldKind = CustomFieldKind.TEXT
    is_required: bool = False
    values: Mapping[str, str] = field(factory=dict)

    def problem_with(self, answer: str) -> str | None:
        """Return the problem of a value in Spanish, or None if it is valid."""
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
        """Return a value in the form that the ERP expects. A text in a number field is sent unchanged."""
        is_number = self.kind is CustomFieldKind.NUMBER and _NUMBER.fullmatch(answer)
        return Decimal(answer) if is_number else answer


def missing_required(fields: Iterable[CustomField], answers: Mapping[str, str]) -> list[str]:
    """Return the names of required fields without a value."""
    return [each.name for each in fields if each.is_required and each.name not in answers]


def _is_date(answer: str) -> bool:
    try:
        date.fromisoformat(answer if _DATE.fullmatch(answer) else "")
    except ValueError:
        return False
    return True

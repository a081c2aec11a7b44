"""Bodies that the routes of execution accept."""

from typing import Final

from attrs import field, frozen

from servicekit.endpoint import InvalidValue

MAX_REASON: Final = 254
MAX_DOCUMENTS: Final = 10_000


def check_numbers(_instance: object, _attribute: object, value: tuple[int, ...] | None) -> None:
    """Check numbers of documents; None passes."""
    if value is None:
        return
    if not 1 <= len(value) <= MAX_DOCUMENTS:
        raise InvalidValue(f"Debe tener entre 1 y {MAX_DOCUMENTS} documentos.")
    if any(not 0 < number < 2**31 for number in value):
        raise InvalidValue("Deben ser números de documento.")


def _reason(_instance: object, _attribute: object, value: str | None) -> None:
    if value is not None and not (len(value) <= MAX_REASON and value.replace("\n", "").isprintable()):
        raise InvalidValue(f"Debe tener hasta {MAX_REASON} caracteres.")


@frozen(kw_only=True)
class ExecuteBody:
    """Which documents to make; all that wait where none is named."""

    version: int
    documentos: tuple[int, ...] | None = field(default=None, validator=check_numbers)


@frozen(kw_only=True)
class ReprocessBody:
    """Which documents to see to, all where none is named, and whether to make what failed anew."""

    documentos: tuple[int, ...] | None = field(default=None, validator=check_numbers)
    replanificar: bool = False


@frozen(kw_only=True)
class CloseBody:
    """Why the planning is closed."""

    motivo: str | None = field(default=None, validator=_reason)

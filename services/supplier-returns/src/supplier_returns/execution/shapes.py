"""Request bodies of the execution routes."""

from typing import Final

from attrs import field, frozen

from servicekit.endpoint import InvalidValue

MAX_REASON: Final = 254
MAX_DOCUMENTS: Final = 10_000


def check_numbers(_instance: object, _attribute: object, value: tuple[int, ...] | None) -> None:
    """Check the numbers of documents. None is valid."""
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
    """Version that the user saw, and the documents to create. By default, all pending ones."""

    version: int
    documentos: tuple[int, ...] | None = field(default=None, validator=check_numbers)


@frozen(kw_only=True)
class ReprocessBody:
    """Documents to reprocess, by default all, and whether to plan every failed document again."""

    documentos: tuple[int, ...] | None = field(default=None, validator=check_numbers)
    replanificar: bool = False


@frozen(kw_only=True)
class CloseBody:
    """Reason for closing the planning."""

    motivo: str | None = field(default=None, validator=_reason)

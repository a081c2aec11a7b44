"""Why a line can't go back as asked, in words for the person in the warehouse."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from supplier_returns.pasting.numbers import shown
from supplier_returns.planning.rules.model import Management

MAX_MESSAGE: Final = 254
"""Characters that the ERP's field for it holds."""

BINS_UNSUPPORTED: Final = "La bodega usa ubicaciones: prepare esta devolución en el ERP."


def explain(
    *,
    quantity: Decimal,
    allocated: Decimal,
    stock: Decimal,
    no_stock: Decimal,
    no_receipt: Decimal,
    indivisible: Decimal,
    card_code: str | None,
    comes_later: bool,
) -> list[str]:
    """Return the sentences that say what is missing of a line; none when all of it goes back.

    Args:
        quantity: Asked.
        allocated: Of it, what goes back.
        stock: Stock on hand that the line could draw on.
        no_stock: Asked, but not in the warehouse.
        no_receipt: In the warehouse, but without an open receipt.
        indivisible: Open, but not expressible in the receipt's unit.
        card_code: The only supplier that it may go back to, None for any.
        comes_later: Whether there are open receipts, but dated after the return.
    """
    if allocated == quantity:
        return []
    verb = "Se devuelve" if allocated == 1 else "Se devuelven"
    sentences = [f"{verb} {shown(allocated)} de {shown(quantity)}." if allocated else "No se puede devolver."]
    if no_stock:
        here = f"hay {shown(stock)}" if stock > 0 else "no hay existencias"
        verb = "Falta" if no_stock == 1 else "Faltan"
        sentences.append(f"{verb} {shown(no_stock)} en la bodega ({here}).")
    if no_receipt:
        whose = f" del proveedor {card_code}" if card_code else ""
        why = (
            "las hay con fecha posterior a la de la devolución"
            if comes_later
            else f"si ya se {'facturó' if no_receipt == 1 else 'facturaron'}, corresponde una nota de crédito"
        )
        sentences.append(f"{_are(no_receipt)} en la bodega sin una recepción abierta{whose}: {why}.")
    if indivisible:
        verbs = ("completa", "recibió") if indivisible == 1 else ("completan", "recibieron")
        sentences.append(f"{shown(indivisible)} no {verbs[0]} la unidad en que se {verbs[1]}.")
    return sentences


def unknown_item(suggestion: str | None) -> list[str]:
    """Return the sentences for an item that the warehouse does not have."""
    hint = [f"¿Quiso decir «{suggestion}»?"] if suggestion else []
    return ["El ERP no tiene este artículo en la bodega; revise el código.", *hint]


def marks(*, management: Management, lacks_picks: bool, has_bins: bool, is_active: bool) -> Iterator[str]:
    """Yield what has to be done before a line that could go back really can."""
    if not is_active:
        yield (
            "El artículo está inactivo en la fecha de la devolución: "
            "hay que activarlo en el ERP antes de devolver."
        )
    if has_bins:
        yield BINS_UNSUPPORTED
    if lacks_picks:
        yield f"Elija {'los lotes' if management is Management.BATCHES else 'las series'} antes de devolver."


def join(sentences: list[str]) -> str | None:
    """Put sentences together within `MAX_MESSAGE` characters; None without any."""
    text = " ".join(sentences)
    return (text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…") or None


def _are(number: Decimal) -> str:
    return "1 está" if number == 1 else f"{shown(number)} están"

"""Plan lines against stock and receipts, and explain the result. Pure functions."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from typing import Final

import attrs
from attrs import field, frozen

from supplier_returns.planning.model.lines import Allocation, PlanningLine
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import LineState
from supplier_returns.planning.model.warehouse import Management, StockItem, WarehouseFacts
from supplier_returns.planning.rules.allocation import allocate
from supplier_returns.planning.rules.lots import Lot, Lots
from supplier_returns.planning.rules.names import ItemNames
from supplier_returns.planning.rules.picks import Pick, PicksMismatchError, keep, picks_of, spread
from supplier_returns.quantities import ZERO, quantity_text

MAX_MESSAGE: Final = 254
"""Length of the ERP field for a message."""

BINS_UNSUPPORTED: Final = "La bodega usa ubicaciones: prepare esta devolución en el ERP."


def explain(line: PlanningLine, *, has_later_receipts: bool) -> list[str]:
    """Return sentences about the missing quantity of a planned line, none if it is complete.

    Args:
        line: planned line.
        has_later_receipts: whether there are open receipts that are dated after the return.
    """
    allocated = line.allocated
    if allocated == line.quantity:
        return []
    verb = "Se devuelve" if allocated == 1 else "Se devuelven"
    goes_back = f"{verb} {quantity_text(allocated)} de {quantity_text(line.quantity)}."
    sentences = [goes_back if allocated else "No se puede devolver."]
    if line.no_stock:
        in_stock = f"hay {quantity_text(line.stock)}" if line.stock > 0 else "no hay existencias"
        verb = "Falta" if line.no_stock == 1 else "Faltan"
        sentences.append(f"{verb} {quantity_text(line.no_stock)} en la bodega ({in_stock}).")
    if line.no_receipt:
        what_is_left = "1 está" if line.no_receipt == 1 else f"{quantity_text(line.no_receipt)} están"
        whose = f" del proveedor {line.card_code}" if line.card_code else ""
        invoiced = "facturó" if line.no_receipt == 1 else "facturaron"
        reason = f"si ya se {invoiced}, corresponde una nota de crédito"
        if has_later_receipts:
            reason = "las hay con fecha posterior a la de la devolución"
        sentences.append(f"{what_is_left} en la bodega sin una recepción abierta{whose}: {reason}.")
    if line.indivisible:
        verbs = ("completa", "recibió") if line.indivisible == 1 else ("completan", "recibieron")
        sentences.append(f"{quantity_text(line.indivisible)} no {verbs[0]} la unidad en que se {verbs[1]}.")
    return sentences


def unknown_item(suggestion: str | None) -> list[str]:
    """Return the sentences about an item that the warehouse does not have."""
    hint = [f"¿Quiso decir «{suggestion}»?"] if suggestion else []
    return ["El ERP no tiene este artículo en la bodega; revise el código.", *hint]


def remaining_steps(line: PlanningLine, *, has_bins: bool, is_active: bool) -> Iterator[str]:
    """Yield sentences about what a user has to do before the line can be returned."""
    if not is_active:
        yield (
            "El artículo está inactivo en la fecha de la devolución: "
            "hay que activarlo en el ERP antes de devolver."
        )
    if has_bins:
        yield BINS_UNSUPPORTED
    if line.lacks_picks:
        lots = "los lotes" if line.management is Management.BATCHES else "las series"
        yield f"Elija {lots} antes de devolver."


def join(sentences: list[str]) -> str | None:
    """Join sentences and cut the text at `MAX_MESSAGE` characters. Return None without any."""
    text = " ".join(sentences)
    return (text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…") or None


@frozen
class WarehouseSnapshot:
    """Stock, receipts and lots that lines are planned against.

    Attributes:
        stock: all items, in any order.
        receipts: all open receipt lines of these items in the warehouse, in any order.
        decimals: decimals of quantities in the ERP.
        lots: batches and serial numbers of the items with picks. None if they were not read.
    """

    warehouse: WarehouseFacts
    stock: Sequence[StockItem]
    receipts: Sequence[OpenReceiptLine] = field(repr=False)
    decimals: int
    lots: Sequence[Lot] | None = None


@frozen
class _PlanningContext:
    """Values that the planning of each line needs.

    Attributes:
        later: items with open receipts after the return date, each with its supplier, and with None for any.
        lots: remaining quantity of each lot while the lines keep their picks one after another.
    """

    snapshot: WarehouseSnapshot
    return_date: date
    names: ItemNames
    later: AbstractSet[tuple[str, str | None]]
    lots: Lots | None


def plan_lines(
    lines: Sequence[PlanningLine],
    snapshot: WarehouseSnapshot,
    *,
    return_date: date,
    picks: Mapping[int, Sequence[Pick]] | None = None,
) -> list[PlanningLine]:
    """Plan these lines. Lines of the same item share its stock and its receipts in this order.

    Previous picks of batches and serial numbers stay as far as they fit.

    Args:
        lines: all plannable lines of each of their items. Their former allocations are discarded.
        snapshot: stock, receipts and lots.
        return_date: posting date of the returns.
        picks: new picks by line ID.

    Returns:
        the lines in the same order, without documents.

    Raises:
        PicksMismatchError: new picks do not add up to the line's allocated quantity.
    """
    names = ItemNames(snapshot.stock)
    # Lines may have another spelling of the code than the ERP.
    items = [names.find(line.item_code) for line in lines]
    named = [_named(line, item) for line, item in zip(lines, items, strict=True)]
    # Excluded lines take no stock, so they are not allocated.
    planned = iter(
        allocate(
            [line for line in named if not line.excluded],
            {item.code: item.on_hand for item in snapshot.stock},
            snapshot.receipts,
            decimals=snapshot.decimals,
            return_date=return_date,
        )
    )
    chosen = picks or {}
    later = {(each.item_code, each.card_code) for each in snapshot.receipts if each.doc_date > return_date}
    lots = None if snapshot.lots is None else Lots(snapshot.lots)
    context = _PlanningContext(
        snapshot, return_date, names, later | {(item_code, None) for item_code, _ in later}, lots
    )
    return [
        _excluded(line, item, chosen.get(line.line_id))
        if line.excluded
        else _planned(line, next(planned), item, chosen.get(line.line_id), context)
        for line, item in zip(named, items, strict=True)
    ]


def _named(line: PlanningLine, item: StockItem | None) -> PlanningLine:
    if item is None:
        return line
    return attrs.evolve(line, item_code=item.code, name=item.name, unit=item.unit, management=item.management)


def _excluded(line: PlanningLine, item: StockItem | None, picks: Sequence[Pick] | None) -> PlanningLine:
    if picks:
        raise PicksMismatchError(sum((pick.quantity for pick in picks), ZERO), ZERO)
    return attrs.evolve(
        line,
        stock=ZERO if item is None else item.on_hand,
        no_stock=ZERO,
        no_receipt=ZERO,
        indivisible=ZERO,
        allocations=(),
        state=LineState.EXCLUDED,
        message="Excluida de la devolución.",
    )


def _planned(
    before: PlanningLine,
    planned: PlanningLine,
    item: StockItem | None,
    picks: Sequence[Pick] | None,
    context: _PlanningContext,
) -> PlanningLine:
    # New picks must fit exactly. Former ones are kept as far as possible.
    if picks is not None:
        allocations = spread(planned.allocations, picks, decimals=context.snapshot.decimals)
    else:
        allocations = _with_previous_picks(planned.allocations, before, context)
    line = attrs.evolve(planned, allocations=allocations)
    return attrs.evolve(line, state=line.planned_state, message=_message(line, item, context))


def _with_previous_picks(
    fresh: Sequence[Allocation], line: PlanningLine, context: _PlanningContext
) -> tuple[Allocation, ...]:
    picks = picks_of(line.allocations)
    if context.lots is not None:
        allocated = sum((part.inventory for part in fresh), ZERO)
        picks = context.lots.take(line.item_code, picks, most=allocated)
    return keep(fresh, picks, decimals=context.snapshot.decimals)


def _message(line: PlanningLine, item: StockItem | None, context: _PlanningContext) -> str | None:
    if item is None:
        return join(unknown_item(context.names.suggest(line.item_code)))
    sentences = explain(line, has_later_receipts=(line.item_code, line.card_code) in context.later)
    if line.allocations:
        is_active = item.is_active_on(context.return_date)
        sentences += remaining_steps(line, has_bins=context.snapshot.warehouse.has_bins, is_active=is_active)
    return join(sentences)

"""Plans lines against stock and receipts and says what became of them. Values in, values out."""

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
"""Characters that the ERP's field for it holds."""

BINS_UNSUPPORTED: Final = "La bodega usa ubicaciones: prepare esta devolución en el ERP."


def explain(line: PlanningLine, *, comes_later: bool) -> list[str]:
    """Return the sentences that say what is missing of a line; none when all of it goes back.

    Args:
        line: Planned.
        comes_later: Whether there are open receipts, but dated after the return.
    """
    allocated = line.allocated
    if allocated == line.quantity:
        return []
    verb = "Se devuelve" if allocated == 1 else "Se devuelven"
    goes_back = f"{verb} {quantity_text(allocated)} de {quantity_text(line.quantity)}."
    sentences = [goes_back if allocated else "No se puede devolver."]
    if line.no_stock:
        here = f"hay {quantity_text(line.stock)}" if line.stock > 0 else "no hay existencias"
        verb = "Falta" if line.no_stock == 1 else "Faltan"
        sentences.append(f"{verb} {quantity_text(line.no_stock)} en la bodega ({here}).")
    if line.no_receipt:
        are = "1 está" if line.no_receipt == 1 else f"{quantity_text(line.no_receipt)} están"
        whose = f" del proveedor {line.card_code}" if line.card_code else ""
        invoiced = "facturó" if line.no_receipt == 1 else "facturaron"
        why = f"si ya se {invoiced}, corresponde una nota de crédito"
        if comes_later:
            why = "las hay con fecha posterior a la de la devolución"
        sentences.append(f"{are} en la bodega sin una recepción abierta{whose}: {why}.")
    if line.indivisible:
        verbs = ("completa", "recibió") if line.indivisible == 1 else ("completan", "recibieron")
        sentences.append(f"{quantity_text(line.indivisible)} no {verbs[0]} la unidad en que se {verbs[1]}.")
    return sentences


def unknown_item(suggestion: str | None) -> list[str]:
    """Return the sentences for an item that the warehouse does not have."""
    hint = [f"¿Quiso decir «{suggestion}»?"] if suggestion else []
    return ["El ERP no tiene este artículo en la bodega; revise el código.", *hint]


def marks(line: PlanningLine, *, has_bins: bool, is_active: bool) -> Iterator[str]:
    """Yield what has to be done before a line that could go back really can."""
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
    """Put sentences together within `MAX_MESSAGE` characters; None without any."""
    text = " ".join(sentences)
    return (text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…") or None


@frozen
class Scene:
    """What is planned against.

    Attributes:
        stock: All items read, in any order.
        receipts: All open receipt lines of these items in the warehouse, in any order.
        decimals: Decimals that the ERP keeps for quantities.
        lots: Batches and serial numbers in the warehouse, as far as any are picked; None where nobody looked.
    """

    warehouse: WarehouseFacts
    stock: Sequence[StockItem]
    receipts: Sequence[OpenReceiptLine] = field(repr=False)
    decimals: int
    lots: Sequence[Lot] | None = None


@frozen
class _Against:
    """What lines are described against.

    Attributes:
        later: Items with open receipts dated after the return: with each supplier, and with None for any.
        lots: What is left of each lot while one line after the other keeps its picks.
    """

    scene: Scene
    return_date: date
    names: ItemNames
    later: AbstractSet[tuple[str, str | None]]
    lots: Lots | None


def plan_lines(
    lines: Sequence[PlanningLine],
    scene: Scene,
    *,
    return_date: date,
    picks: Mapping[int, Sequence[Pick]] | None = None,
) -> list[PlanningLine]:
    """Plan these lines anew; those of one item share its stock and its receipts, in the order given.

    Batches and serial numbers that were picked before are kept as far as they still fit.

    Args:
        lines: All lines of each of their items that may be planned; what they had allocated is forgotten.
        scene: What to plan against.
        return_date: Posting date of the returns.
        picks: What is picked now, by line id.

    Returns:
        The lines in the same order, without documents.

    Raises:
        PicksMismatchError: What is picked now does not add up to what the line gives back.
    """
    names = ItemNames(scene.stock)
    items = [names.find(line.item_code) for line in lines]
    named = [_named(line, item) for line, item in zip(lines, items, strict=True)]
    planned = iter(
        allocate(
            [line for line in named if not line.excluded],
            {item.code: item.on_hand for item in scene.stock},
            scene.receipts,
            decimals=scene.decimals,
            return_date=return_date,
        )
    )
    chosen = picks or {}
    later = {(each.item_code, each.card_code) for each in scene.receipts if each.doc_date > return_date}
    lots = None if scene.lots is None else Lots(scene.lots)
    against = _Against(scene, return_date, names, later | {(item_code, None) for item_code, _ in later}, lots)
    return [
        _excluded(line, item, chosen.get(line.line_id))
        if line.excluded
        else _described(line, next(planned), item, chosen.get(line.line_id), against)
        for line, item in zip(named, items, strict=True)
    ]


def _named(line: PlanningLine, item: StockItem | None) -> PlanningLine:
    """Return the line with what the ERP knows of its item."""
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


def _described(
    before: PlanningLine,
    planned: PlanningLine,
    item: StockItem | None,
    picks: Sequence[Pick] | None,
    against: _Against,
) -> PlanningLine:
    if picks is not None:
        allocations = spread(planned.allocations, picks, decimals=against.scene.decimals)
    else:
        allocations = _with_former_picks(planned.allocations, before, against)
    line = attrs.evolve(planned, allocations=allocations)
    return attrs.evolve(line, state=line.planned_state, message=_message(line, item, against))


def _with_former_picks(
    fresh: Sequence[Allocation], line: PlanningLine, against: _Against
) -> tuple[Allocation, ...]:
    picks = picks_of(line.allocations)
    if against.lots is not None:
        allocated = sum((part.inventory for part in fresh), ZERO)
        picks = against.lots.take(line.item_code, picks, most=allocated)
    return keep(fresh, picks, decimals=against.scene.decimals)


def _message(line: PlanningLine, item: StockItem | None, against: _Against) -> str | None:
    if item is None:
        return join(unknown_item(against.names.suggest(line.item_code)))
    sentences = explain(line, comes_later=(line.item_code, line.card_code) in against.later)
    if line.allocations:
        is_active = item.is_active_on(against.return_date)
        sentences += marks(line, has_bins=against.scene.warehouse.has_bins, is_active=is_active)
    return join(sentences)

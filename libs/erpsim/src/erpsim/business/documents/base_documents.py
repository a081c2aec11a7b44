"""Documents drawn from other documents: checks with the real texts, open quantities, and their return on
cancellation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

import attrs

from erpsim.business import stock
from erpsim.business.documents.lines import CLOSED, OPEN
from erpsim.company.company import Company
from erpsim.company.errors import SlError, invalid, no_match, refused
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import ZERO, as_decimal, as_int, normal
from erpsim.facts.document_kinds import BY_CODE, Kind

LINES = "DocumentLines"


@attrs.frozen
class Base:
    """Base line of a document line, with its document."""

    kind: Kind
    row: Fields
    line: Fields


def find_base(company: Company, kind: Kind, card_code: Value, line: Fields, position: int) -> Base | None:
    """Return the base of a line, None for a line without one.

    Raises:
        SlError: the base is unknown, of another partner, or closed: a closed header blocks even lines that
            still show an open quantity (captures; the number differs between them, -10 is the usual one).
    """
    base_type = line.get("BaseType")
    if not isinstance(base_type, int) or base_type < 0 or line.get("BaseEntry") is None:
        return None
    base_kind = BY_CODE.get(base_type)
    if base_kind is None or base_type not in kind.bases:
        raise invalid(
            f"Base document type is not valid  [{kind.line_table}.BaseType][line: {position}]"
        )  # assumed text
    row = company.referred(base_kind.set_name, line.get("BaseEntry"))
    if row.get("CardCode") != card_code:
        raise refused(f"Base document card and target document card do not match.  [{kind.table}.CardCode]")
    base_line = next(
        (each for each in rows_of(row, LINES) if each.get("LineNum") == line.get("BaseLine")), None
    )
    if base_line is None:
        raise no_match()
    if row.get("DocumentStatus") == CLOSED or base_line.get("LineStatus") == CLOSED:
        raise closed_base(kind, position)
    return Base(base_kind, row, base_line)


def closed_base(kind: Kind, position: int) -> SlError:
    """Return the refusal of a closed base document."""
    return refused(
        f"One of the base documents has already been closed  [{kind.line_table}.BaseEntry][line: {position}]"
    )


def draw(company: Company, kind: Kind, lines: Iterable[Fields]) -> None:
    """Take the quantities of new lines from their base lines and close used-up lines and documents.

    Raises:
        SlError: a line takes more than is open (switch `over_base_quantity`).
    """
    _change(company, kind, lines, give_back=False)


def give_back(company: Company, kind: Kind, lines: Iterable[Fields]) -> None:
    """Return the quantities of cancelled lines to their base lines, which open again."""
    _change(company, kind, lines, give_back=True)


def _change(company: Company, kind: Kind, lines: Iterable[Fields], *, give_back: bool) -> None:
    by_document: dict[tuple[int, int], list[tuple[int, Fields]]] = defaultdict(list)
    for position, line in enumerate(lines, 1):
        if as_int(line.get("BaseType")) in kind.bases and line.get("BaseEntry") is not None:
            by_document[as_int(line["BaseType"]), as_int(line["BaseEntry"])].append((position, line))
    for (code, entry), drawn in by_document.items():
        base_kind = BY_CODE[code]
        row = company.get(base_kind.set_name, (entry,))
        rows = {as_int(line["LineNum"]): line for line in rows_of(row, LINES)}
        for position, line in drawn:
            number = as_int(line.get("BaseLine"))
            quantity = as_decimal(line.get("Quantity"))
            rows[number] = (
                _refilled(rows[number], quantity)
                if give_back
                else _drained(company, kind, rows[number], quantity, position)
            )
        changed = {**row, LINES: list[Value](rows.values())}
        store_document(company, base_kind, row, with_status(base_kind, changed))


def _drained(company: Company, kind: Kind, line: Fields, quantity: Decimal, position: int) -> Fields:
    open_quantity = as_decimal(line.get("RemainingOpenQuantity")) - quantity
    if open_quantity < 0 and not company.switches.over_base_quantity:
        # The company's settings decide whether this is refused, warned of or allowed. The text of the refusal
        # is assumed.
        raise refused(
            "Quantity exceeds the open quantity of the base document  "
            f"[{kind.line_table}.Quantity][line: {position}]"
        )
    return opened(line, max(open_quantity, Decimal(0)))


def _refilled(line: Fields, quantity: Decimal) -> Fields:
    back = as_decimal(line.get("RemainingOpenQuantity")) + quantity
    return opened(line, min(back, as_decimal(line.get("Quantity"))))


def opened(line: Fields, quantity: Decimal) -> Fields:
    """Return a line with this open quantity; at zero it closes."""
    per_unit = as_decimal(line.get("UnitsOfMeasurment")) or Decimal(1)
    total = as_decimal(line.get("Quantity"))
    amount = as_decimal(line.get("LineTotal"))
    return {
        **line,
        "RemainingOpenQuantity": normal(quantity),
        "RemainingOpenInventoryQuantity": normal(quantity * per_unit),
        "OpenAmount": normal((amount * quantity / total).quantize(Decimal(1))) if total else ZERO,
        "LineStatus": OPEN if quantity > 0 else CLOSED,
    }


def with_status(kind: Kind, row: Fields) -> Fields:
    """Return a document with the status of its lines. Payments close invoices, lines do not."""
    if row.get("Cancelled") == "tYES" or kind.settled:
        return row
    is_open = any(line.get("LineStatus") == OPEN for line in rows_of(row, LINES))
    return {**row, "DocumentStatus": OPEN if is_open else CLOSED}


def store_document(company: Company, kind: Kind, old: Fields | None, new: Fields) -> None:
    """Store a changed document and update its reserved quantities."""
    _reserve(company, kind, old, new)
    company.update(kind.set_name, new)


def insert_document(company: Company, kind: Kind, new: Fields) -> None:
    """Store a new document and reserve its open quantities."""
    _reserve(company, kind, None, new)
    company.insert(kind.set_name, new)


def _reserve(company: Company, kind: Kind, old: Fields | None, new: Fields) -> None:
    if kind.reserves is None:
        return
    change: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for row, sign in ((old, -1), (new, 1)):
        for line in _open_lines(row):
            place = (str(line.get("ItemCode")), str(line.get("WarehouseCode")))
            change[place] += sign * as_decimal(line.get("RemainingOpenInventoryQuantity"))
    for (item, warehouse), quantity in change.items():
        stock.reserve(company, item, warehouse, kind.reserves, quantity)


def _open_lines(row: Fields | None) -> list[Fields]:
    if row is None or row.get("DocumentStatus") == CLOSED:
        return []
    return [
        line
        for line in rows_of(row, LINES)
        if line.get("LineStatus") == OPEN and line.get("ItemCode") is not None
    ]

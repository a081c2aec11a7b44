"""Reading pasted tables and planning returns: time against a yardstick, growth with the input, peak memory.

Each measurement runs in a process of its own, so that its peak memory is its own.
"""

import csv
import gc
import io
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeVar

from attrs import evolve, frozen

from supplier_returns.pasting.rules import PasteRules
from supplier_returns.pasting.text import parse_paste
from supplier_returns.planning.collector import gc_paused
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.warehouse import StockItem, WarehouseFacts
from supplier_returns.planning.rules.allocation import allocate
from supplier_returns.planning.rules.documents import arrange
from supplier_returns.planning.rules.drafting import WarehouseSnapshot
from supplier_returns.planning.rules.plans import plan

PASTED_ROWS = (10_000, 50_000)
RECEIPTS = (20_000, 200_000)
ITEMS = 2_000
SUPPLIERS = 60
ROUNDS = 5
WANTED = 60
"""Of each item: some three receipt lines."""

_T = TypeVar("_T")


@frozen
class Paste:
    """A pasted table: best times of some rounds."""

    rows: int
    seconds: float
    csv_seconds: float
    peak_bytes: int

    @property
    def times_csv(self) -> float:
        """Ratio to the time of `csv.reader` on the same text."""
        return self.seconds / self.csv_seconds


@frozen
class Allocation:
    """Planning of all items over a number of receipt lines: best times of some rounds.

    Attributes:
        seconds: Time for the largest possible planning.
        all_seconds: Time for using up every receipt line, the worst case of the rules; no planning is that
            large.
    """

    receipts: int
    seconds: float
    all_seconds: float
    peak_bytes: int


@frozen
class Planning:
    """All measurements, the smaller input first."""

    pastes: tuple[Paste, ...]
    allocations: tuple[Allocation, ...]

    @property
    def growth(self) -> float:
        """Ratio of the times with ten times the receipts."""
        return self.allocations[-1].seconds / self.allocations[0].seconds

    @property
    def peak_bytes(self) -> int:
        """The most memory that any of them took."""
        pastes = [paste.peak_bytes for paste in self.pastes]
        return max(pastes + [allocation.peak_bytes for allocation in self.allocations])


def measure(*, say: Callable[[str], None]) -> Planning:
    """Measure everything, one process after another."""
    pastes = tuple(_alone(_measure_paste, rows) for rows in PASTED_ROWS)
    for paste in pastes:
        say(
            f"{paste.rows} pasted rows: {paste.seconds * 1000:.0f} ms, "
            f"{paste.times_csv:.1f} times csv.reader, peak {paste.peak_bytes / 2**20:.0f} MiB"
        )
    allocations = tuple(_alone(_measure_allocation, receipts) for receipts in RECEIPTS)
    for each in allocations:
        say(
            f"{ITEMS} items over {each.receipts} receipt lines: {each.seconds * 1000:.0f} ms, "
            f"all used up {each.all_seconds * 1000:.0f} ms, peak {each.peak_bytes / 2**20:.0f} MiB"
        )
    return Planning(pastes, allocations)


def _alone(work: Callable[[int], _T], size: int) -> _T:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, size).result()


def _measure_paste(rows: int) -> Paste:
    text = "Código\tCantidad\tMotivo\n" + "".join(
        f"{number % ITEMS:06d}\t{number % 90 + 1},{number % 10}\tVENC\n" for number in range(rows - 1)
    )
    rules = PasteRules("01")
    seconds = _best(lambda: parse_paste(text, rules))
    csv_seconds = _best(lambda: list(csv.reader(io.StringIO(text, newline=""), delimiter="\t")))
    return Paste(rows, seconds, csv_seconds, _peak_bytes())


def _measure_allocation(count: int) -> Allocation:
    begin = date(2024, 1, 1)
    receipts = [receipt(number, begin) for number in range(count)]
    items = [f"{number:06d}" for number in range(ITEMS)]
    stock = [StockItem(item, item, "UN", Decimal(count)) for item in items]
    snapshot = WarehouseSnapshot(WarehouseFacts("01", "Central"), stock, receipts, decimals=2)
    lines = [
        PlanningLine(line_id=number, item_code=item, quantity=Decimal(WANTED))
        for number, item in enumerate(items, 1)
    ]
    wanted = [evolve(line, quantity=Decimal(count)) for line in lines]
    on_hand = {item.code: item.on_hand for item in stock}
    today = begin + timedelta(days=1_000)

    def use_all() -> None:
        arrange(allocate(wanted, on_hand, receipts, decimals=2), (), max_lines=60, has_bins=False)

    with gc_paused():  # as the service computes plans
        seconds = _best(lambda: plan(lines, snapshot, max_lines=60, return_date=today))
        all_seconds = _best(use_all)
    return Allocation(count, seconds, all_seconds, _peak_bytes())


def receipt(
    number: int, begin: date, *, item: str | None = None, supplier: int | None = None
) -> OpenReceiptLine:
    """Return an open receipt line, the `number`th; its item and supplier follow from that unless given."""
    supplier = number * 7 % SUPPLIERS if supplier is None else supplier
    open_quantity = Decimal((number + number // ITEMS) % 40 + 1)
    return OpenReceiptLine(
        doc_entry=number // 4 + 1,
        line_num=number % 4,
        doc_date=begin + timedelta(days=number * 31 % 700),
        item_code=sys.intern(item or f"{number % ITEMS:06d}"),
        card_code=sys.intern(f"P{supplier:03d}"),
        currency="CLP",
        branch=None,
        open_inventory=open_quantity,
        open_document=open_quantity,
        doc_num=number // 4 + 10_000,
        supplier_reference=f"GD {number // 4}",
        supplier_name=sys.intern(f"Proveedor {supplier:03d}"),
        supplier_tax_id=sys.intern(f"76{supplier:06d}-K"),
        price=Decimal(number % 5_000 + 1),
        tax_code="IVA",
    )


def _best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

"""Latency of supplier-returns while a warehouse pastes tables, executes plannings and prints.

The real process runs on a simulated company of 20,000 open receipt lines. `bench.prober` calls `GET
/api/health` every 5 ms on its own connection; only a busy process delays it.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from attrs import frozen
from typing_extensions import override

from bench.company import warehouse_company
from bench.servers import Server, on_all_cores

PASTES, DOCUMENTS = "50 pastes at once", "60 documents made and joined"
ROUNDS: Final = 3
AT_ONCE: Final = 50
FEWEST_ROWS, MOST_ROWS = 500, 2_000


@frozen
class Waited:
    """Latencies of health during one piece of work.

    Attributes:
        work: `PASTES` or `DOCUMENTS`.
        asked: number of due requests, to which the three latencies refer.
        late_p99_ms, late_worst_ms: delay of the prober itself, caused by other programs.
        seconds: duration of the work.
        cpu_s: processor time of the service and its processes.
    """

    work: str
    asked: int
    median_ms: float
    p99_ms: float
    worst_ms: float
    late_p99_ms: float
    late_worst_ms: float
    seconds: float
    cpu_s: float

    @override
    def __str__(self) -> str:
        return (
            f"{self.work}: health median {self.median_ms:.1f}, p99 {self.p99_ms:.0f}, "
            f"worst {self.worst_ms:.0f} ms of {self.asked} (woken late: p99 {self.late_p99_ms:.0f}, "
            f"worst {self.late_worst_ms:.0f} ms); {self.seconds:.0f} s, {self.cpu_s:.1f} s of CPU"
        )


def measure(*, say: Callable[[str], None]) -> list[Waited]:
    """Do both pieces of work a few times, in turn."""
    found = []
    step = (MOST_ROWS - FEWEST_ROWS) / (AT_ONCE - 1)
    with (
        on_all_cores(),
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        warehouse_company(Path(folder)) as company,
    ):
        tables = [company.table(FEWEST_ROWS + round(step * number)) for number in range(AT_ONCE)]
        company.paste(tables[:: AT_ONCE - 1])  # warm up everything that is started or read once
        for number in range(1, ROUNDS + 1):
            for each in (
                _watch(company.service, PASTES, partial(company.paste, tables)),
                _watch(company.service, DOCUMENTS, partial(company.execute, company.plan())),
            ):
                found.append(each)
                say(f"warehouse, round {number} of {ROUNDS}, {each}")
    return found


def worst_ms(found: Sequence[Waited], work: str) -> float:
    """Return the slowest answer during a piece of work, the median of its rounds."""
    return statistics.median(each.worst_ms for each in found if each.work == work)


def _watch(service: Server, name: str, work: Callable[[], object]) -> Waited:
    command = [sys.executable, "-m", "bench.prober", str(service.port), "/api/health"]
    cpu_s, started = service.cpu_s(), time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as prober:
        work()
        seconds, cpu_s = time.perf_counter() - started, service.cpu_s() - cpu_s
        output, _ = prober.communicate()
    observed = json.loads(output)
    answers_ms, late_ms = (sorted(each * 1000 for each in observed[key]) for key in ("answers_s", "late_s"))
    return Waited(
        name,
        len(answers_ms),
        statistics.median(answers_ms),
        _p99(answers_ms),
        answers_ms[-1],
        _p99(late_ms),
        late_ms[-1],
        seconds,
        cpu_s,
    )


def _p99(ordered: Sequence[float]) -> float:
    return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]

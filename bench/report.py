"""Tables for people, JSON for programs, and the met targets."""

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs
from tools.packages import ROOT

from bench.kept import Figure, Figures
from bench.scenarios.cpu import CpuCost
from bench.scenarios.fairness import Fairness
from bench.scenarios.growth import Growth
from bench.scenarios.identical import Identical
from bench.scenarios.memory import Memory
from bench.scenarios.page import NAIVE, PEOPLE, Opening
from bench.scenarios.penalty import Penalty
from bench.scenarios.planning import Planning
from bench.scenarios.printing import Printed
from bench.scenarios.startup import SERVICES, Start
from bench.scenarios.store import POSTGRESQL, SQLITE, WRITE, Cost
from bench.scenarios.throughput import BARE, GATEWAY, LIST, WITH_SELECT, Measured
from bench.scenarios.warehouse import DOCUMENTS, PASTES, Waited, worst_ms
from bench.scenarios.writes import WriteCost

RESULTS = ROOT / "build/bench"
_LIBRARIES = (
    "hypercorn",
    "starlette",
    "aiohttp",
    "uvloop",
    "fastapi",
    "httpx",
    "uvicorn",
    "msgspec",
    "structlog",
)


@attrs.frozen
class Target:
    """A target, its measured value, and whether it is met."""

    promise: str
    found: str
    met: bool


@attrs.define
class Results:
    """Results by scenario; None for a scenario that did not run."""

    startup: list[Start] | None = None
    throughput: list[Measured] | None = None
    penalty: Penalty | None = None
    identical: Identical | None = None
    memory: Memory | None = None
    page: list[Opening] | None = None
    planning: Planning | None = None
    printing: tuple[Printed, ...] | None = None
    warehouse: list[Waited] | None = None
    store: list[Cost] | None = None
    growth: list[Growth] | None = None
    writes: list[WriteCost] | None = None
    fairness: list[Fairness] | None = None
    cpu: list[CpuCost] | None = None


def configuration(settings: dict[str, str], query: str, body_bytes: int) -> dict[str, Any]:
    """Return the configuration that belongs to the figures."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        "libraries": {name: version(name) for name in _LIBRARIES},
        "gateway": settings,
        "query": query,
        "bodyBytes": body_bytes,
    }


def throughput_table(measured: Sequence[Measured]) -> list[str]:
    """Return the table of the servers by case, with the gateway's ratio to each.

    It shows throughput and CPU time per request. On a busy machine, the latter is steadier.
    """
    head = (
        f"{'server':<24}{'requests/s':>11}{'spread':>8}{'p50 ms':>9}{'p99 ms':>9}{'CPU us':>9}"
        f"{'gateway/this':>14}{'by CPU time':>13}"
    )
    lines = [head]
    for case in dict.fromkeys(each.case for each in measured):
        gateway = _named(measured, case, GATEWAY)
        lines += [
            case,
            *(
                f"  {each.name:<22}{each.per_second:>11.0f}{each.spread:>8.0%}{each.p50_ms:>9.2f}"
                f"{each.p99_ms:>9.2f}{each.cpu_us:>9.0f}{gateway.per_second / each.per_second:>14.2f}"
                f"{each.cpu_us / gateway.cpu_us:>13.2f}"
                for each in measured
                if each.case == case
            ),
        ]
    return lines


def targets(results: Results) -> list[Target]:
    """Return every target for which there are results."""
    found: list[Target] = []
    if results.throughput is not None:
        found += _throughput_targets(results.throughput)
    if results.penalty is not None:
        sooner = results.penalty.times_sooner
        found.append(Target("20 users' reads at least 10 times sooner", f"{sooner:.1f} times", sooner >= 10))
    if results.identical is not None:
        calls = results.identical.upstream_calls
        found.append(Target("100 identical reads are at most 2 calls", f"{calls}", calls <= 2))
    if results.page is not None:
        found += _page_targets(results.page)
    if results.memory is not None:
        growth, end = results.memory.growth, results.memory.end_bytes / 2**20
        found.append(
            Target("memory grows less than 5 % over 40,000 requests", f"{growth:.1%}", growth < 0.05)
        )
        found.append(Target("at most 80 MB resident", f"{end:.0f} MiB", results.memory.end_bytes <= 80e6))
    if results.startup is not None:
        found += [
            Target(f"{each.name} healthy in less than 1.5 s", f"{each.seconds:.2f} s", each.seconds < 1.5)
            for each in results.startup
            if each.name in SERVICES
        ]
    if results.planning is not None:
        found += _planning_targets(results.planning)
    if results.printing is not None:
        found += _printing_targets(results.printing)
    if results.warehouse is not None:
        found += _warehouse_targets(results.warehouse)
    if results.store is not None:
        found += _store_targets(results.store)
    return found


def figures(results: Results) -> Figures:
    """Return the figures that a later run on another machine can be compared with, by scenario."""
    found: dict[str, dict[str, Figure]] = {}
    if results.startup is not None:
        found["startup"] = {
            f"CPU of {each.name} over (a)": each.over_peer
            for each in results.startup
            if each.name in SERVICES
        }
    if results.penalty is not None:
        found["penalty"] = {
            "20 users' reads over the naive proxy's": Figure.once(1 / results.penalty.times_sooner)
        }
    if results.identical is not None:
        found["identical"] = {"calls of 100 identical reads": Figure.count(results.identical.upstream_calls)}
    if results.page is not None:
        found["page"] = {f"calls, {each.how}": Figure.count(each.calls) for each in results.page if each.warm}
    if results.throughput is not None:
        found["throughput"] = {
            f"CPU over {each.name}, {each.case}": each.gateway_over
            for each in results.throughput
            if each.name != GATEWAY
        }
    if results.memory is not None:
        found["memory"] = {"resident MiB": Figure.once(results.memory.end_bytes / 2**20)}
    if results.planning is not None:
        found["planning"] = {
            "10 times the receipts": Figure.once(results.planning.growth),
            **{
                f"{each.rows} pasted rows over csv": Figure.once(each.times_csv)
                for each in results.planning.pastes
            },
        }
    if results.growth is not None:
        found["growth"] = {
            f"{each.work}, {more:,} over {less:,}": Figure.once(dear / cheap)
            for each in results.growth
            for less, more, cheap, dear in zip(
                each.sizes, each.sizes[1:], each.costs_ms, each.costs_ms[1:], strict=False
            )
        }
    return found


def _throughput_targets(measured: Sequence[Measured]) -> list[Target]:
    gateway, bare = _named(measured, LIST.name, GATEWAY), _named(measured, LIST.name, BARE)
    found = []
    for letter, least in (("(a)", 0.85), ("(b)", 5.0), ("(d)", 1.7)):
        for peer in measured:
            if peer.case == LIST.name and peer.name.startswith(letter):
                ratio = gateway.per_second / peer.per_second
                found.append(
                    Target(f"at least {least:g} of {peer.name}'s throughput", f"{ratio:.2f}", ratio >= least)
                )
    selecting, plain = (_named(measured, WITH_SELECT.name, name) for name in (GATEWAY, BARE))
    ratio = selecting.per_second / plain.per_second
    found.append(Target("at least 0.8 of (a) with $select", f"{ratio:.2f}", ratio >= 0.8))
    late = gateway.p99_ms / bare.p99_ms
    found.append(Target("p99 at most 1.5 times the bare proxy's", f"{late:.2f}", late <= 1.5))
    return found


def _page_targets(openings: Sequence[Opening]) -> list[Target]:
    naive = next(each for each in openings if each.server == NAIVE)
    warm = {each.spread: each for each in openings if each.warm}
    spread, once = warm[True], warm[False]
    late, sooner = once.last_s / once.perfect_s, naive.last_s / once.last_s
    return [
        Target(
            "a page costs 2 calls when its lists are in memory",
            f"{spread.calls / PEOPLE:g}",
            spread.calls <= 2 * PEOPLE,
        ),
        Target("20 pages at the same moment cost at most 40 calls", f"{once.calls}", once.calls <= 40),
        Target("the last answer within 1.15 times the perfect schedule", f"{late:.2f}", late <= 1.15),
        Target("at least 15 times sooner than the naive proxy", f"{sooner:.1f} times", sooner >= 15),
    ]


def _printing_targets(printed: Sequence[Printed]) -> list[Target]:
    limits_s = {1: 1.5, 20: 3.0}
    return [
        Target(
            f"the browser prints {each.pages} pages in at most {limits_s[each.pages]:g} s",
            f"{each.seconds:.2f} s",
            each.seconds <= limits_s[each.pages],
        )
        for each in printed
        if each.engine == "browser" and each.pages in limits_s
    ]


def _warehouse_targets(waited: Sequence[Waited]) -> list[Target]:
    slowest = {work: worst_ms(waited, work) for work in (PASTES, DOCUMENTS)}
    return [
        Target(f"health within 100 ms beside {work}", f"{worst:.0f} ms", worst < 100)
        for work, worst in slowest.items()
    ]


def _store_targets(costs: Sequence[Cost]) -> list[Target]:
    write_ms = {each.store: each.medians_ms[WRITE] for each in costs}
    if POSTGRESQL not in write_ms:
        return []
    more_ms = write_ms[POSTGRESQL] - write_ms[SQLITE]
    return [
        Target("an audited write in PostgreSQL at most 3 ms over SQLite", f"{more_ms:.2f} ms", more_ms <= 3)
    ]


def _planning_targets(planning: Planning) -> list[Target]:
    slowest = max(paste.times_csv for paste in planning.pastes)
    longest = max(planning.allocations[-1].seconds, planning.allocations[-1].all_seconds)
    peak = planning.peak_bytes
    return [
        Target("pastes are read in at most 10 times csv.reader's time", f"{slowest:.1f}", slowest <= 10),
        Target("200,000 receipts are planned in less than 2 s", f"{longest:.2f} s", longest < 2),
        Target(
            "10 times the receipts take at most 12 times", f"{planning.growth:.1f}", planning.growth <= 12
        ),
        Target("planning takes less than 300 MB", f"{peak / 2**20:.0f} MiB", peak < 300e6),
    ]


def write_json(results: Results, configuration: dict[str, Any]) -> Path:
    """Write everything to a file of its own under build/bench and return its path."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    target = RESULTS / f"{configuration['at'].replace(':', '')}.json"
    judged = [attrs.asdict(each) for each in targets(results)]
    content = {"configuration": configuration, "results": attrs.asdict(results), "targets": judged}
    target.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return target


def _named(measured: Sequence[Measured], case: str, name: str) -> Measured:
    return next(each for each in measured if (each.case, each.name) == (case, name))

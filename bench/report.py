"""Tables for people, JSON for programs, and which targets are met."""

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs

from bench.scenarios.identical import Identical
from bench.scenarios.memory import Memory
from bench.scenarios.penalty import Penalty
from bench.scenarios.planning import Planning
from bench.scenarios.printing import Printed
from bench.scenarios.throughput import GATEWAY, Measured

RESULTS = Path(__file__).resolve().parent / "results"
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
    """A promise, what was found, and whether it is kept."""

    promise: str
    found: str
    met: bool


@attrs.define
class Results:
    """What was measured; None where a scenario was left out."""

    throughput: list[Measured] | None = None
    penalty: Penalty | None = None
    identical: Identical | None = None
    memory: Memory | None = None
    startup_s: float | None = None
    planning: Planning | None = None
    printing: tuple[Printed, ...] | None = None


def configuration(settings: dict[str, str], query: str, body_bytes: int) -> dict[str, Any]:
    """Return what has to stand beside every figure."""
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
    """Return the table of the servers, with how the gateway compares with each.

    By throughput, and by CPU time a request: on a machine that does other work too, the second is steadier.
    """
    gateway = _named(measured, GATEWAY)
    head = (
        f"{'server':<24}{'requests/s':>11}{'p50 ms':>9}{'p99 ms':>9}{'CPU us':>9}"
        f"{'gateway/this':>14}{'by CPU time':>13}"
    )
    rows = [
        f"{each.name:<24}{each.per_second:>11.0f}{each.p50_ms:>9.2f}{each.p99_ms:>9.2f}{each.cpu_us:>9.0f}"
        f"{gateway.per_second / each.per_second:>14.2f}{each.cpu_us / gateway.cpu_us:>13.2f}"
        for each in measured
    ]
    return [head, *rows]


def targets(results: Results) -> list[Target]:
    """Return every promise that the results can be held to."""
    found: list[Target] = []
    if results.throughput is not None:
        gateway = _named(results.throughput, GATEWAY).per_second
        for letter, least in (("(a)", 0.6), ("(b)", 6.0)):
            ratio = (
                gateway / next(each for each in results.throughput if each.name.startswith(letter)).per_second
            )
            found.append(
                Target(f"at least {least:g} of {letter}'s throughput", f"{ratio:.2f}", ratio >= least)
            )
    if results.penalty is not None:
        sooner = results.penalty.times_sooner
        found.append(Target("20 users' reads at least 10 times sooner", f"{sooner:.1f} times", sooner >= 10))
    if results.identical is not None:
        calls = results.identical.upstream_calls
        found.append(Target("100 identical reads are at most 2 calls", f"{calls}", calls <= 2))
    if results.memory is not None:
        growth, end = results.memory.growth, results.memory.end_bytes / 2**20
        found.append(
            Target("memory grows less than 5 % over 40,000 requests", f"{growth:.1%}", growth < 0.05)
        )
        found.append(Target("less than 120 MB resident", f"{end:.0f} MiB", results.memory.end_bytes < 120e6))
    if results.startup_s is not None:
        seconds = results.startup_s
        found.append(Target("healthy in less than 1.5 s", f"{seconds:.2f} s", seconds < 1.5))
    if results.planning is not None:
        found += _planning_targets(results.planning)
    if results.printing is not None:
        found += _printing_targets(results.printing)
    return found


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
    """Write everything to a file of its own under bench/results and return its path."""
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / f"{configuration['at'].replace(':', '')}.json"
    judged = [attrs.asdict(each) for each in targets(results)]
    content = {"configuration": configuration, "results": attrs.asdict(results), "targets": judged}
    target.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return target


def _named(measured: Sequence[Measured], name: str) -> Measured:
    return next(each for each in measured if each.name == name)

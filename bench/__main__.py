"""Measure the gateway and its peers, planning and PDFs, and print the results.

The exit code is 1 if a target is missed, and with --compare if something is slower than in the stored
results.

Run as: python -m bench [--rounds N] [--requests N] [--only SCENARIO ...] [--compare] [--keep]
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from stack.processes import leave_on_signals

from bench import kept, servers
from bench.queries import list_path
from bench.report import Results, configuration, figures, targets, throughput_table, write_json
from bench.scenarios import (
    cpu,
    fairness,
    growth,
    identical,
    memory,
    page,
    penalty,
    planning,
    printing,
    startup,
    store,
    throughput,
    warehouse,
    writes,
)
from bench.upstream import partner_list

SCENARIOS = (
    *("startup", "penalty", "identical", "page", "throughput", "memory"),
    *("planning", "printing", "warehouse", "store", "growth", "writes", "fairness", "cpu"),
)


TABLES: Mapping[str, Callable[..., list[str]]] = {
    "startup": startup.table,
    "page": page.table,
    "throughput": throughput_table,
    "store": store.table,
    "growth": growth.table,
    "writes": writes.table,
    "fairness": fairness.table,
    "cpu": cpu.table,
}


def main() -> int:
    """Read the arguments, measure, print."""
    options = _arguments()
    leave_on_signals()
    servers.pin(0, servers.LOAD_CPU)
    settings = servers.gateway_settings(throughput.CONCURRENCY)
    about = configuration(settings, list_path(0, select=False), len(partner_list()))
    print(json.dumps(about, indent=2), flush=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        Path(folder).chmod(0o755)  # nginx's worker needs access
        results, took_s = _measure(Path(folder), options)
    for scenario, table in TABLES.items():
        if found := getattr(results, scenario):
            print("", *table(found), sep="\n")
    print()
    for scenario, seconds in took_s.items():
        print(f"{scenario:<12}{seconds:>7.0f} s")
    print(f"{'in all':<12}{sum(took_s.values()):>7.0f} s\n")
    judged = targets(results)
    for target in judged:
        print(f"{'met   ' if target.met else 'MISSED'} {target.promise}: {target.found}")
    print(f"\nwritten to {write_json(results, about)}")
    worse = _compared(results) if options.compare else []
    if options.keep:
        kept.keep(figures(results))
    return 0 if all(target.met for target in judged) and not worse else 1


def _arguments() -> argparse.Namespace:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=4000, help="of the gateway in one round")
    parser.add_argument("--only", nargs="+", choices=SCENARIOS, default=SCENARIOS)
    parser.add_argument(
        "--compare", action="store_true", help="tell what became slower since the last run kept"
    )
    parser.add_argument("--keep", action="store_true", help=f"keep this run in bench/{kept.LAST.name}")
    parser.add_argument(
        "--before",
        type=Path,
        help="checkout of another commit to compare cpu and writes with (git worktree add FOLDER COMMIT)",
    )
    return parser.parse_args()


def _measure(folder: Path, options: argparse.Namespace) -> tuple[Results, dict[str, float]]:
    """Return the results, and the seconds of each scenario."""
    rounds: int = options.rounds
    measures: Mapping[str, Callable[[], object]] = {
        "startup": lambda: startup.measure(folder),
        "penalty": lambda: penalty.measure(folder),
        "identical": lambda: identical.measure(folder),
        "page": lambda: page.measure(folder, say=_say),
        "throughput": lambda: throughput.measure(folder, rounds=rounds, requests=options.requests, say=_say),
        "memory": lambda: memory.measure(folder, say=_say),
        "planning": lambda: planning.measure(say=_say),
        "printing": lambda: printing.measure(say=_say),
        "warehouse": lambda: warehouse.measure(say=_say),
        "store": lambda: store.measure(say=_say),
        "growth": lambda: growth.measure(say=_say),
        "writes": lambda: writes.measure(folder, before=options.before, rounds=rounds, say=_say),
        "fairness": lambda: fairness.measure(folder),
        "cpu": lambda: cpu.measure(folder, before=options.before, rounds=rounds, say=_say),
    }
    results, took_s = Results(), {}
    for scenario, measure in measures.items():
        if scenario in options.only:
            started = time.perf_counter()
            setattr(results, scenario, measure())
            took_s[scenario] = time.perf_counter() - started
    return results, took_s


def _compared(results: Results) -> Collection[str]:
    """Print and return what became slower."""
    before = kept.read()
    worse = list(kept.slower(figures(results), before))
    for line in worse:
        print(f"SLOWER {line}")
    if not worse:
        print("nothing became slower" if before else "nothing was kept to compare with")
    return worse


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())

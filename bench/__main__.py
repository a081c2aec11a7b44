"""Measure the gateway beside its peers, planning and PDFs; print how they do; exit 1 on a missed promise.

Run as: python -m bench [--rounds N] [--requests N] [--only SCENARIO ...]
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tools.stack.processes import leave_on_signals

from bench import servers
from bench.queries import list_path
from bench.report import Results, configuration, targets, throughput_table, write_json
from bench.scenarios import (
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
    *("planning", "printing", "warehouse", "store", "growth", "writes"),
)


def main() -> int:
    """Read the arguments, measure, print."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=4000, help="of the gateway in one round")
    parser.add_argument("--only", nargs="+", choices=SCENARIOS, default=SCENARIOS)
    parser.add_argument(
        "--before",
        type=Path,
        help="checkout without the ledger to compare writes with (git worktree add FOLDER COMMIT)",
    )
    options = parser.parse_args()
    leave_on_signals()
    servers.pin(0, servers.LOAD_CPU)
    settings = servers.gateway_settings(throughput.CONCURRENCY)
    about = configuration(settings, list_path(0, select=False), len(partner_list()))
    print(json.dumps(about, indent=2), flush=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        Path(folder).chmod(0o755)  # nginx's worker looks in
        results = _measure(Path(folder), options.only, rounds=options.rounds, requests=options.requests)
        if "writes" in options.only:
            costs = writes.measure(Path(folder), before=options.before, rounds=options.rounds, say=_say)
            print()
            for line in writes.table(costs):
                print(line)
    print()
    for line in store.table(results.store) if results.store else ():
        print(line)
    print()
    for line in growth.table(results.growth) if results.growth else ():
        print(line)
    print()
    for line in page.table(results.page) if results.page else ():
        print(line)
    print()
    for line in throughput_table(results.throughput) if results.throughput else ():
        print(line)
    print()
    judged = targets(results)
    for target in judged:
        print(f"{'met   ' if target.met else 'MISSED'} {target.promise}: {target.found}")
    print(f"\nwritten to {write_json(results, about)}")
    return 0 if all(target.met for target in judged) else 1


def _measure(folder: Path, only: tuple[str, ...], *, rounds: int, requests: int) -> Results:
    results = Results()
    if "startup" in only:
        results.startup_s = startup.measure(folder)
        _say(f"start to first healthy answer: {results.startup_s:.2f} s")
    if "penalty" in only:
        results.penalty = penalty.measure(folder)
        _say(f"20 users' reads: {results.penalty.gateway_s:.2f} s, naive {results.penalty.naive_s:.2f} s")
    if "identical" in only:
        results.identical = identical.measure(folder)
        _say(f"100 identical reads: {results.identical.upstream_calls} calls upstream")
    if "page" in only:
        results.page = page.measure(folder, say=_say)
    if "throughput" in only:
        results.throughput = throughput.measure(folder, rounds=rounds, requests=requests, say=_say)
    if "memory" in only:
        results.memory = memory.measure(folder, say=_say)
    if "planning" in only:
        results.planning = planning.measure(say=_say)
    if "printing" in only:
        results.printing = printing.measure(say=_say)
    if "warehouse" in only:
        results.warehouse = warehouse.measure(say=_say)
    if "store" in only:
        results.store = store.measure(say=_say)
    if "growth" in only:
        results.growth = growth.measure(say=_say)
    return results


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""Run both services as real processes with users, faults and outages; then check ERP, store and audit.

Run as: python -m soak [--minutes N] [--seed N] [--rate 0.01] [--keep FOLDER] [--pair]

The first run uses LEDGER_REQUIRED and WRITE_TRACE_FIELD, a short second one the defaults. Everything runs on
loopback. With `--pair` there is only the first run, with two gateways on PostgreSQL, of which one serves. The
exit code is 0 if every invariant held.
"""

import argparse
import asyncio
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from statistics import median

from stack.processes import leave_on_signals
from tools.packages import ROOT

from soak.judges import judge
from soak.run import Run, running
from soak.values import Evidence
from soak.weather import SERVICES

SECOND = 0.2
"""Share of the second run in the first one; it takes two minutes at most."""

SHOWN = 5
"""Number of violations shown for each invariant."""


def main() -> int:
    """Read the arguments and run; return 0 when every invariant held."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--minutes", type=float, default=10.0, help="of bad weather in the first run")
    parser.add_argument("--seed", type=int, help="repeats the decisions of a run; default: a new one")
    parser.add_argument(
        "--rate", type=float, default=0.01, help="part of the requests that meets with trouble"
    )
    parser.add_argument("--keep", type=Path, help="folder where stores and logs are kept")
    parser.add_argument("--pair", action="store_true", help="two gateways on a PostgreSQL; no second run")
    options = parser.parse_args()
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    leave_on_signals()
    print(
        f"seed {seed}, {options.minutes:g} minutes, {options.rate:.1%} of the requests in trouble", flush=True
    )
    good = True
    runs = [(True, options.minutes), (False, min(2.0, SECOND * options.minutes))]
    for traced, minutes in runs[:1] if options.pair else runs:
        print(f"\n{'LEDGER_REQUIRED and WRITE_TRACE_FIELD' if traced else 'Defaults'}, {minutes:g} minutes")
        with tempfile.TemporaryDirectory(prefix="soak-") as temporary:
            folder = (
                Path(temporary)
                if options.keep is None
                else options.keep / ("traced" if traced else "defaults")
            )
            folder.mkdir(parents=True, exist_ok=options.keep is None)
            with _database() if options.pair else nullcontext() as store_url:
                judged = soak(
                    folder, seed=seed, minutes=minutes, rate=options.rate, traced=traced, store_url=store_url
                )
                good &= asyncio.run(judged)
    return 0 if good else 1


@contextmanager
def _database() -> Iterator[str]:
    """Run the PostgreSQL of the gateway's own tests, and return the URL of a database in it."""
    sys.path.append(str(ROOT / "services/erp-gateway/tests/doubles"))
    postgresql = import_module("postgresql_server")
    binaries = postgresql.find_binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL is not installed; `make soak PAIR=1` installs it")
    with postgresql.run_postgresql(binaries) as server:
        yield server.url(server.new_database())


async def soak(
    folder: Path, *, seed: int, minutes: float, rate: float, traced: bool, store_url: str | None = None
) -> bool:
    """Run once and print the table; return whether every invariant held."""
    async with running(folder, seed=seed, traced=traced, say=_say, store_url=store_url) as run:
        await run.storm(minutes * 60, rate)
        observed = await run.collect()
        for line in _counts(run, observed):
            print(line)
    judged = judge(observed)
    print()
    for name, faults in judged:
        print(f"{'BROKEN' if faults else 'held  '} {name}{f': {len(faults)}' if faults else ''}")
        for fault in faults[:SHOWN]:
            print(f"         {fault}")
    return not any(faults for _, faults in judged)


def _counts(run: Run, seen: Evidence) -> list[str]:
    def counted(values: "Counter[str]") -> str:
        return ", ".join(f"{n} {what}" for what, n in sorted(values.items())) or "none"

    troubles: Counter[str] = Counter()
    for proxy in run.proxies.values():
        troubles += proxy.met
    requests = {name: proxy.requests for name, proxy in run.proxies.items()}
    took = [one.seconds for one in seen.recoveries if one.seconds is not None]
    told_late = sum(one.is_told_to_differ for plan in seen.plannings for one in plan.documents)
    lives = Counter({name: run.kept[name].life for name in SERVICES})
    lines = {
        "requests": ", ".join(f"{n} {name}" for name, n in requests.items()),
        "troubles": counted(troubles),
        "happened": counted(run.happened),
        "lives": counted(lives),
        "orders": f"{len(seen.orders)}; {counted(Counter(one.outcome.value for one in seen.creates))}",
        "changes": counted(Counter(one.outcome.value for one in seen.changes)),
        "ledger": counted(Counter(f"{one.kind} {one.state}" for one in seen.rows)),
        "plannings": f"{counted(Counter(one.state for one in seen.plannings))}; {len(seen.returns)} returns",
        "late plans": f"told at {told_late} documents",
        "recovered": f"median {median(took):.1f} s, at worst {max(took):.1f} s"
        if took
        else "nothing to recover from",
        "/health": ", ".join(
            f"{name} {run.kept[name].health.worst_s:.2f} s at worst of {run.kept[name].health.asked}"
            for name in SERVICES
        ),
        "memory": ", ".join(
            f"{name} {max(one.memory for one in seen.samples if one.name == name) >> 20} MB at most"
            for name in SERVICES
            if any(one.name == name for one in seen.samples)
        ),
        "sessions": f"{max(seen.sessions, default=0)} at the ERP at most",
    }
    return ["", *(f"{name:<10} {text}" for name, text in lines.items())]


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""Run the container commands of docs/install.md and docs/operate.md with any Docker engine.

Run as: python -m tools.images_check [STEP...]

With names of steps, only those run, after building and starting. Each step prints a line with its seconds.
The exit code is 1 if a step failed. Without an engine it prints SKIPPED, which is not a pass, and exits 0. It
uses its own project and ports, and removes everything at the end.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import TypeVar

from tools.images_check.certificates import renew_certificates, tls_to_the_end
from tools.images_check.containers import Containers
from tools.images_check.monitoring import monitoring
from tools.images_check.ordinary import (
    backup_and_restore,
    build,
    kill_each,
    locked_in,
    main_path,
    reload_nginx,
    start,
    stop,
    upgrade_and_back,
)
from tools.images_check.pair import (
    pair_database,
    pair_handover,
    pair_restore,
    pair_start,
    pair_tour,
    pair_upgrade,
)
from tools.images_check.pair_installation import Pair
from tools.images_check.pair_returns import pair_returns, pair_stop
from tools.images_check.rotation import rotate_the_password
from tools.images_check.runbook import Runbook, StepFailed
from tools.images_check.several import companies
from tools.images_check.suites import browser_suite, e2e_suite
from tools.images_check.variants import sizes

Book = TypeVar("Book", bound=Containers)
STEPS: tuple[Callable[[Runbook], None], ...] = (
    build,
    start,
    locked_in,
    browser_suite,
    e2e_suite,
    main_path,
    tls_to_the_end,
    renew_certificates,
    rotate_the_password,
    backup_and_restore,
    reload_nginx,
    upgrade_and_back,
    kill_each,
    stop,
    companies,
    monitoring,
    sizes,
)
PAIR_STEPS: tuple[Callable[[Pair], None], ...] = (
    pair_start,
    pair_tour,
    pair_handover,
    pair_upgrade,
    pair_database,
    pair_restore,
    pair_returns,
    pair_stop,
)
"""Steps of compose.ha.yaml; they use the images of the first steps."""


def has_engine() -> bool:
    """Return whether a Docker engine with compose is available."""
    try:
        done = [
            subprocess.run(command, capture_output=True, check=False).returncode
            for command in (["docker", "info"], ["docker", "compose", "version"])
        ]
    except OSError:
        return False
    return not any(done)


def take(book: Book, step: Callable[[Book], None]) -> bool:
    """Run a step and print its result; return whether it passed."""
    begun = time.monotonic()
    try:
        step(book)
    except (StepFailed, OSError, HTTPException, KeyError, TypeError, ValueError) as error:
        why = str(error) if isinstance(error, StepFailed) else repr(error)
        print(f"FAIL {step.__name__} ({time.monotonic() - begun:.0f} s): {why}", flush=True)
        print(book.compose("logs", "--tail", "15")[-3000:], flush=True)
        return False
    print(
        f"ok   {step.__name__} ({time.monotonic() - begun:.0f} s): {(step.__doc__ or '').strip()}", flush=True
    )
    return True


def main() -> int:
    """Run the steps until one fails; remove everything in any case."""
    if not has_engine():
        print("SKIPPED: no Docker engine here")
        return 0
    begun = time.monotonic()
    wanted = set(sys.argv[1:])
    known = {step.__name__ for step in (*STEPS, *PAIR_STEPS)}
    if not wanted <= known:
        print(f"there is no step {', '.join(sorted(wanted - known))}; there are {', '.join(sorted(known))}")
        return 2
    pair = [each for each in PAIR_STEPS if not wanted or each in PAIR_STEPS[:1] or each.__name__ in wanted]
    ordinary = [each for each in STEPS if not wanted or each in STEPS[:2] or each.__name__ in wanted]
    if wanted and not wanted & {step.__name__ for step in STEPS[1:]}:
        ordinary = [build]
    if wanted and not wanted & {step.__name__ for step in PAIR_STEPS}:
        pair = []
    with tempfile.TemporaryDirectory(prefix="erp-images-") as folder:
        places = [Path(folder) / name for name in ("ordinary", "pair")]
        for place in places:
            place.mkdir()
        held = walk(Runbook(places[0]), ordinary) and walk(Pair(places[1]), pair)
    print(f"{'all held' if held else 'it did not hold'}, {time.monotonic() - begun:.0f} s", flush=True)
    return 0 if held else 1


def walk(book: Book, steps: Sequence[Callable[[Book], None]]) -> bool:
    """Run the steps; return whether all passed."""
    if not steps:
        return True
    try:
        return all(take(book, step) for step in steps)
    finally:
        book.compose("down", "--volumes", "--timeout", "5")


if __name__ == "__main__":
    sys.exit(main())

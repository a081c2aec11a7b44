"""Walk through the runbook of the containers with any Docker engine: what docs/operations.md says, done once.

Run as: python -m tools.images_check [STEP...]

With names of steps, only those are taken, after building and starting.
Prints a line a step, with its seconds; exits 0 when all held, 1 when one did not. Without an engine it prints
SKIPPED, which is no pass, and exits 0. Project and ports are its own; everything is taken down at the end.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.images_check.certificates import renew_certificates, tls_to_the_end
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
from tools.images_check.rotation import rotate_the_password
from tools.images_check.runbook import Runbook, StepFailed
from tools.images_check.suites import browser_suite, e2e_suite
from tools.images_check.variants import sizes

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
    sizes,
)


def has_engine() -> bool:
    """Tell whether there is a Docker engine with compose."""
    try:
        done = [
            subprocess.run(command, capture_output=True, check=False).returncode
            for command in (["docker", "info"], ["docker", "compose", "version"])
        ]
    except OSError:
        return False
    return not any(done)


def take(book: Runbook, step: Callable[[Runbook], None]) -> bool:
    """Take a step and tell how it went; return whether it held."""
    begun = time.monotonic()
    try:
        step(book)
    except StepFailed as error:
        print(f"FAIL {step.__name__}: {error}", flush=True)
        print(book.compose("logs", "--tail", "15")[-3000:], flush=True)
        return False
    print(
        f"ok   {step.__name__} ({time.monotonic() - begun:.0f} s): {(step.__doc__ or '').strip()}", flush=True
    )
    return True


def main() -> int:
    """Take the steps in order until one does not hold; take everything down in any case."""
    if not has_engine():
        print("SKIPPED: no Docker engine here")
        return 0
    wanted = {"build", "start", *sys.argv[1:]}
    steps = [step for step in STEPS if len(wanted) == len(STEPS[:2]) or step.__name__ in wanted]
    with tempfile.TemporaryDirectory(prefix="erp-images-") as folder:
        return walk(Runbook(Path(folder)), steps)


def walk(book: Runbook, steps: Sequence[Callable[[Runbook], None]]) -> int:
    """Take the steps; return the exit code."""
    try:
        held = all(take(book, step) for step in steps)
    finally:
        book.compose("down", "--volumes", "--timeout", "5")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())

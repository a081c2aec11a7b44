"""Steps that run the test suites of the console and of the origin through the containers."""

import os
import subprocess
import sys

from stack import existing

from tools.images_check.runbook import Runbook, demand
from tools.packages import ROOT


def browser_suite(book: Runbook) -> None:
    """The console's tests in a headless browser."""
    _run(book, "tests-e2e/browser")


def e2e_suite(book: Runbook) -> None:
    """The tests of the origin; tests that start their own processes are skipped."""
    _run(book, "tests-e2e", "--ignore=tests-e2e/browser")


def _run(book: Runbook, *arguments: str) -> None:
    ports = {
        existing.ORIGIN: str(book.site.origin),
        existing.ERPSIM: str(book.site.erpsim_port),
        existing.CONTROL: str(book.site.control),
    }
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "0", *arguments]
    environ = {**os.environ, **ports}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    demand(holds=done.returncode == 0, what=done.stdout[-6000:] + done.stderr[-500:])
    print(f"     {done.stdout.strip().splitlines()[-1]}", flush=True)

"""Upgrade a store of 0.1.0 and go back: duration, chain, and the requirements of 0.1.0 afterwards.

Run as: python -m tools.upgrade_check [--records N] [--commit C]

The commit's sources are checked out from this repository's history into a temporary folder.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from stack.processes import LOOPBACK, Child, ChildFailedError, clean_environment, leave_on_signals

from servicekit.testing.ports import free_port
from tools.packages import ROOT

OLD = "744a894d"
"""The commit that 0.1.0 is."""

NEW_SETTING = "ERP_CA_FOLDER"
"""A setting that 0.1.0 does not know."""

BAD_CONFIGURATION = 2
REFUSED = "was written by a newer version of this program"
FILL = Path(__file__).with_name("fill.py")


def main() -> int:
    """Run the check; return 1 if the store was not upgraded, or the old version did not refuse it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--commit", default=OLD)
    options = parser.parse_args()
    leave_on_signals()
    with tempfile.TemporaryDirectory(prefix="upgrade-check-") as folder:
        try:
            check(Path(folder), options.commit, options.records)
        except (ChildFailedError, subprocess.CalledProcessError) as error:
            print(f"FAIL {error}\n{getattr(error, 'stderr', '') or ''}", file=sys.stderr)
            return 1
    return 0


def check(folder: Path, commit: str, records: int) -> None:
    """Fill, back up, upgrade, verify; then go back: settings, store, backup.

    Raises:
        ChildFailedError: a service did not start, or started although it must refuse.
        subprocess.CalledProcessError: a command failed.
    """
    old = clean_environment(PYTHONPATH=":".join(unpack(commit, folder / "old")))
    data = folder / "data"
    store = data / "app.sqlite"
    data.mkdir()
    run([sys.executable, str(FILL), str(store), str(records)], old, folder)
    before = size(data)
    backup = folder / "backup.sqlite"
    with_settings = {**old, **settings(store)}
    run([sys.executable, "-m", "erp_gateway", "backup", str(backup)], with_settings, folder)
    print(f"{records:,} audit records by {commit}: {before / 1e6:,.0f} MB", flush=True)

    today = clean_environment(**settings(store))
    with watched(data) as peak, gateway(folder / "today.log", today, folder) as serving:
        took = serving.wait_until_it_answers(int(today["PORT"]), "/api/health", timeout_s=600)
    print(f"healthy after {took:.1f} s; {peak[0] / 1e6:,.0f} MB at most, {size(data) / 1e6:,.0f} MB after")
    print(run([sys.executable, "-m", "erp_gateway", "audit", "verify"], today, folder), flush=True)

    with gateway(folder / "old.log", {**old, **settings(store)}, folder) as refused:
        code = refused.wait(60)
    reason = next((line for line in refused.output().splitlines() if REFUSED in line), None)
    if code == 0 or reason is None:
        raise ChildFailedError(f"{commit} took the newer store: exit {code}\n{refused.output()[-2000:]}")
    print(f"{commit} on it: exit {code}, {reason}")
    go_back(folder, commit, old, store, backup)


def go_back(folder: Path, commit: str, old: Mapping[str, str], store: Path, backup: Path) -> None:
    """Start the old version again: it refuses an unknown setting and the new store; it serves the backup.

    Raises:
        ChildFailedError: it did not refuse, or did not start.
    """
    for each in store.parent.iterdir():
        each.unlink()
    shutil.copy(backup, store)
    again = settings(store)
    file = folder / "gateway.env"
    file.write_text(f"{NEW_SETTING}=/authorities\n", encoding="utf-8")
    with gateway(folder / "settings.log", {**old, **again, "CONFIG_FILE": str(file)}, folder) as refused:
        code = refused.wait(60)
    if code != BAD_CONFIGURATION or NEW_SETTING not in refused.output():
        raise ChildFailedError(
            f"{commit} started with {NEW_SETTING}: exit {code}\n{refused.output()[-2000:]}"
        )
    print(f"{commit} with {NEW_SETTING} in its file: exit {code}")
    with gateway(folder / "back.log", {**old, **again, NEW_SETTING: "/authorities"}, folder) as serving:
        took = serving.wait_until_it_answers(int(again["PORT"]), "/api/health", timeout_s=600)
    print(f"{commit} on the backup, with {NEW_SETTING} in the environment: healthy after {took:.1f} s")


def unpack(commit: str, folder: Path) -> list[str]:
    """Unpack the sources of a commit, and return the folders to import from.

    Raises:
        subprocess.CalledProcessError: this repository's history does not have it.
    """
    pack = ["git", "archive", commit, "libs", "services"]
    packed = subprocess.run(pack, cwd=ROOT, check=True, capture_output=True)
    folder.mkdir()
    subprocess.run(["tar", "--extract"], cwd=folder, check=True, input=packed.stdout)
    return [str(each) for each in sorted(folder.glob("*/*/src"))]


def settings(store: Path) -> dict[str, str]:
    """Return the settings of a gateway on this store, with an unreachable ERP."""
    return {
        "PORT": str(free_port()),
        "ENVIRONMENT": "test",
        "SQLITE_PATH": str(store),
        "ERP_SL_URL": f"http://{LOOPBACK}:{free_port()}/b1s/v2",
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD": "none",
    }


def gateway(log: Path, environ: Mapping[str, str], folder: Path) -> Child:
    """Return the gateway of the sources that the environment names, not yet started."""
    command = [sys.executable, "-m", "erp_gateway", "serve"]
    return Child("erp-gateway", command, log=log, environ=environ, cwd=folder)


def run(command: Sequence[str], environ: Mapping[str, str], folder: Path) -> str:
    """Run a command; return its output."""
    done = subprocess.run(command, env=environ, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def size(folder: Path) -> int:
    """Return the size of a folder's files in bytes."""
    total = 0
    for each in folder.iterdir():
        try:
            total += each.stat().st_size
        except FileNotFoundError:  # the last writer removes its log
            continue
    return total


@contextmanager
def watched(folder: Path) -> Iterator[list[int]]:
    """Record the largest size of a folder's files while the block runs, in the list's only entry."""
    most, done = [size(folder)], threading.Event()

    def look() -> None:
        while not done.wait(0.02):
            most[0] = max(most[0], size(folder))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    sys.exit(main())

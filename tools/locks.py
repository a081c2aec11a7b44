"""Compile the hashed requirement locks, or check that they still match what the packages declare.

Run as: python -m tools.locks write [--upgrade] | check

A pin in a lock stays while it satisfies the declarations. So a newer release changes nothing until you run
`write --upgrade`.
"""

import argparse
import difflib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.packages import ROOT, distribution_name, package_folders

FOLDER = ROOT / "requirements"
FORBIDDEN = ("://", "--index", "--extra-index", "--find-links", "--trusted-host")

LIBRARIES = ("libs/erpclient", "libs/erpdoctor", "libs/servicekit")

SERVICE_LOCKS = {
    "erp-gateway.txt": ("services/erp-gateway", *LIBRARIES),
    "erp-gateway-hana.txt": ("services/erp-gateway", *LIBRARIES),
    "erp-gateway-nopdf.txt": ("services/erp-gateway", *LIBRARIES),
    "erpsim.txt": ("libs/erpsim",),
    "supplier-returns.txt": ("services/supplier-returns", *LIBRARIES),
}
"""Each image's lock and the packages in it."""

LOCKED_EXTRAS = {"erp-gateway.txt": ("weasyprint",), "erp-gateway-hana.txt": ("hana", "weasyprint")}
"""Locks that include extras of their packages."""


def declarations() -> dict[str, list[str]]:
    """Return each lock and the files that declare its content."""
    every_package = [f"{folder}/pyproject.toml" for folder in package_folders()]
    images = {
        lock: [f"{folder}/pyproject.toml" for folder in folders] for lock, folders in SERVICE_LOCKS.items()
    }
    return {
        "audit.txt": ["requirements/audit.in"],
        "build.txt": ["requirements/build.in"],
        "clients.txt": ["requirements/clients.in"],
        "dev.txt": ["requirements/dev.in", *every_package],
        **images,
    }


def compile_lock(name: str, target: Path, *, upgrade: bool) -> None:
    """Compile one lock into `target`; existing pins stay unless `upgrade`.

    Raises:
        subprocess.CalledProcessError: uv found no solution, or no registry responded.
    """
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
    own = [distribution_name(folder) for folder in package_folders()]
    command = [uv, "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"]
    command += ["--generate-hashes", "--no-header", "--output-file", str(target)]
    command += [argument for package in own for argument in ("--no-emit-package", package)]
    command += [argument for extra in LOCKED_EXTRAS.get(name, ()) for argument in ("--extra", extra)]
    command += ["--upgrade"] if upgrade else []
    subprocess.run([*command, *declarations()[name]], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def addresses_in(text: str) -> list[str]:
    """Return lines with addresses of registries, which our locks must not contain."""
    return [line for line in text.splitlines() if any(word in line for word in FORBIDDEN)]


def check_lock(name: str, scratch: Path) -> list[str]:
    """Return the problems of a lock: an address in it, or a line that compiling changes."""
    kept = (FOLDER / name).read_text(encoding="utf-8")
    complaints = [f"requirements/{name} names an address: {line}" for line in addresses_in(kept)]
    target = scratch / name
    target.write_text(kept, encoding="utf-8")
    compile_lock(name, target, upgrade=False)
    compiled = target.read_text(encoding="utf-8")
    difference = difflib.unified_diff(
        kept.splitlines(), compiled.splitlines(), f"requirements/{name}", "compiled again", lineterm="", n=0
    )
    return complaints + list(difference)


def check() -> int:
    """Check every lock; return the exit code."""
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in declarations():
            found = check_lock(name, Path(scratch))
            print(f"{'FAIL' if found else 'ok  '} requirements/{name}")
            complaints += found
    for line in complaints[:60]:
        print(line, file=sys.stderr)
    if complaints:
        print("lock-check: run `make lock` and commit the result", file=sys.stderr)
    return 1 if complaints else 0


def write(*, upgrade: bool) -> int:
    """Compile every lock in place; return the exit code."""
    for name in declarations():
        target = FOLDER / name
        compile_lock(name, target, upgrade=upgrade)
        if found := addresses_in(target.read_text(encoding="utf-8")):
            print(f"requirements/{name} names an address: {found[0]}", file=sys.stderr)
            return 1
        print(f"wrote requirements/{name}")
    return 0


def main() -> int:
    """Read the arguments and do it."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check")
    commands.add_parser("write").add_argument("--upgrade", action="store_true")
    options = parser.parse_args()
    try:
        return check() if options.command == "check" else write(upgrade=options.upgrade)
    except subprocess.CalledProcessError as error:
        text = f"uv could not compile the lock (exit {error.returncode}); it needs a package registry"
        print(text, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

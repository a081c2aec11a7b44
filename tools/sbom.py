"""Write the bill of materials of each image's Python part, as CycloneDX JSON in build/sbom/.

Run as: python -m tools.sbom

Each is read from a virtual environment built like the image: the hashed lock, then our own wheels. The
attestation that CI creates for the whole image covers packages of Debian and of the base image.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.locks import SERVICE_LOCKS
from tools.packages import ROOT, distribution_name

FOLDER = ROOT / "build" / "sbom"
NOT_PUBLISHED = "erp-gateway-hana.txt"
"""Lock of an image that users build themselves."""


def run(*command: str | os.PathLike[str]) -> None:
    """Run a command and stop when it fails."""
    subprocess.run(command, check=True, cwd=ROOT)


def write_bill(lock: str, packages: tuple[str, ...], work: Path) -> Path:
    """Write the bill of one image and return where it is.

    Args:
        lock: Name of the lock in requirements/.
        packages: Folders of our own packages in the image; the first one is the service.
        work: A folder for the environment.
    """
    name = lock.removesuffix(".txt")
    python = work / name / "bin" / "python"
    uv = Path(sys.executable).with_name("uv")
    install = (uv, "pip", "install", "-q", "--python", python, "--no-deps")
    run(sys.executable, "-m", "venv", "--without-pip", work / name)
    run(*install, "--require-hashes", "-r", f"requirements/{lock}")
    for package in packages:
        run(uv, "build", "-q", "--wheel", "--no-build-isolation", "--out-dir", work / "wheels", package)
    ours = {distribution_name(package).replace("-", "_") for package in packages}
    wheels = [file for file in sorted((work / "wheels").glob("*.whl")) if file.name.split("-")[0] in ours]
    run(*install, *wheels)
    bill = FOLDER / f"{name}.cdx.json"
    program = Path(sys.executable).with_name("cyclonedx-py")
    run(program, "environment", "--output-reproducible", "--of", "JSON", "-o", bill, python)
    bill.write_text(json.dumps(without_places(json.loads(bill.read_text("utf-8"))), indent=1) + "\n", "utf-8")
    return bill


def without_places(bill: dict[str, object]) -> dict[str, object]:
    """Return a bill without references to files of this machine."""
    components = bill.get("components")
    assert isinstance(components, list)
    for component in components:
        references = component.get("externalReferences", [])
        component["externalReferences"] = [each for each in references if not each["url"].startswith("file:")]
    return bill


def main() -> int:
    """Write them all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for lock, packages in SERVICE_LOCKS.items():
            if lock != NOT_PUBLISHED:
                bill = write_bill(lock, packages, Path(work))
                count = len(json.loads(bill.read_text("utf-8"))["components"])
                print(f"{bill.relative_to(ROOT)}: {count} components")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Build an archive that installs the services on a host without containers (`make host-package`).

Run as: python -m tools.host_package

It contains hashed wheels of the locks and of our packages, the console, nginx's configuration and systemd
units. The host needs no internet access.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tools.packages import ROOT

SERVICES = {
    "gateway": ("erp-gateway.txt", "erp-gateway"),
    "returns": ("supplier-returns.txt", "supplier-returns"),
}
LIBRARIES = ("erpclient", "erpdoctor", "servicekit")
LOCKS = (
    *("erp-gateway.txt", "erp-gateway-nopdf.txt", "supplier-returns.txt"),
    *(("erp-gateway-hana.txt",) if os.environ.get("WITH_HANA") else ()),
)
COPIED = ("VERSION", "NOTICE.md", *(f"requirements/{name}" for name in LOCKS))
DEPLOYED = ("nginx.conf", "install.sh", "systemd", "console/dist", "landing")


def main() -> int:
    """Build the archive and print its name."""
    version = os.environ.get("IMAGE_TAG") or f"{(ROOT / 'VERSION').read_text('utf-8').strip()}-dev"
    folder = ROOT / "build" / f"erp-services-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    archive = make_package(folder)
    print(archive.relative_to(ROOT))
    return 0


def make_package(folder: Path) -> Path:
    """Fill a folder and pack it; return the archive beside it.

    Raises:
        subprocess.CalledProcessError: pip could not fetch a wheel or build one of ours.
    """
    wheels = folder / "wheels"
    wheels.mkdir(parents=True)
    for lock in LOCKS:
        options = ("--require-hashes", "--no-deps", "--only-binary", ":all:", "--dest", str(wheels))
        pip("download", *options, "-r", str(ROOT / "requirements" / lock))
    own = [f"./libs/{name}" for name in LIBRARIES] + [f"./services/{name}" for _, name in SERVICES.values()]
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(wheels), *own)
    for name, (_, service) in SERVICES.items():
        lines = [pinned(wheels, package) for package in (*LIBRARIES, service)]
        (wheels / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for each in COPIED:
        target = folder / each
        target.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / each, target)
    for each in DEPLOYED:
        source, target = ROOT / "deploy" / each, folder / "deploy" / each
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    archive = folder.with_name(f"{folder.name}.tar.gz")
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(folder, folder.name)
    return archive


def pinned(wheels: Path, package: str) -> str:
    """Return the line of a lock for a wheel of ours, with its hash."""
    (wheel,) = wheels.glob(f"{package.replace('-', '_')}-*.whl")
    version = wheel.name.split("-")[1]
    return f"{package}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}"


def pip(*arguments: str) -> None:
    """Run pip of this environment, quietly."""
    subprocess.run([sys.executable, "-m", "pip", arguments[0], "-qq", *arguments[1:]], cwd=ROOT, check=True)


if __name__ == "__main__":
    sys.exit(main())

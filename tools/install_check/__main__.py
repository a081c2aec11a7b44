"""Install the services without containers by docs/install.md, on a fresh Debian, up to a sign-in.

Run as: python -m tools.install_check

Needs root, mmdebstrap or debootstrap, and Debian's archive. Otherwise it prints SKIPPED, which is not a pass,
and exits 0. systemd is not process 1 there: `systemd-analyze verify` checks the units, and a replacement of
systemctl starts their commands as their users. It does not prove that the units themselves start.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.host_package import make_package
from tools.install_check.machine import make_machine, missing_tool
from tools.packages import ROOT

KEPT = ROOT / "build" / "install-check" / "debian.tar"
"""Archive of a plain Debian for the next run; `make clean` removes it."""


def main() -> int:
    """Build package and machine, then run the steps in their own namespaces."""
    missing = missing_tool()
    if missing is not None:
        print(f"SKIPPED: {missing}")
        return 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="install-check-") as folder:
        archive = make_package(Path(folder) / "erp-services-check")
        print(
            f"     the package: {archive.stat().st_size / 1e6:.0f} MB, {time.monotonic() - begun:.0f} s",
            flush=True,
        )
        root = Path(folder) / "machine"
        try:
            make_machine(root, KEPT)
        except subprocess.CalledProcessError as error:
            print(f"SKIPPED: no Debian could be installed ({error})")
            return 0
        print(f"     the machine: {time.monotonic() - begun:.0f} s", flush=True)
        shutil.copy(archive, root / "root")
        for name in ("systemctl", "journalctl"):
            place = root / "usr/local/sbin" / name
            shutil.copy(Path(__file__).with_name("systemctl.py"), place)
            place.chmod(0o755)
        scene = [sys.executable, "-m", "tools.install_check.scene", str(root)]
        names = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child"]
        code = subprocess.run([*names, *scene], cwd=ROOT, check=False).returncode
    print(f"{'all held' if code == 0 else 'it did not hold'}, {time.monotonic() - begun:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())

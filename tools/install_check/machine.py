"""A Debian in a folder, used as a machine."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

RELEASE = "bookworm"
PACKAGES = (
    "ca-certificates",
    "curl",
    "logrotate",
    "nginx-light",
    "procps",
    "python3",
    "python3-venv",
    "systemd",
    "util-linux",
)
"""Packages that docs/install.md installs, and those of any Debian on a real machine."""

_SOURCES = Path("/etc/apt/sources.list.d/debian.sources")
_MOUNTS = (
    ("proc", "proc", "proc"),
    ("tmpfs", "dev/shm", "tmpfs"),
    ("tmpfs", "tmp", "tmpfs"),
    ("tmpfs", "run", "tmpfs"),
)


def missing_tool() -> str | None:
    """Return what is missing to build such a machine, or None if nothing is."""
    if os.geteuid() != 0:
        return "not root"
    if not any(map(shutil.which, ("mmdebstrap", "debootstrap"))):
        return "neither mmdebstrap nor debootstrap (apt-get install mmdebstrap)"
    return None if shutil.which("unshare") else "no unshare"


def make_machine(root: Path, kept: Path) -> None:
    """Unpack Debian into a folder that does not exist.

    Args:
        root: The folder.
        archive: Archive of a plain Debian, created if it is missing.

    Raises:
        subprocess.CalledProcessError: Debian could not be installed or unpacked.
    """
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="debian-") as folder:
            made = Path(folder) / "debian"
            _install_debian(made)
            archive = Path(folder) / "debian.tar"
            subprocess.run(
                ["tar", "--create", f"--file={archive}", "--one-file-system", f"--directory={made}", "."],
                check=True,
            )
            shutil.move(archive, kept)
    root.mkdir()
    subprocess.run(
        ["tar", "--extract", "--numeric-owner", f"--file={kept}", f"--directory={root}"], check=True
    )


def _install_debian(root: Path) -> None:
    include = f"--include={','.join(PACKAGES)}"
    mirrors = _configured_mirrors()[:1]  # without a configured one, the installer's default
    if shutil.which("mmdebstrap"):
        options = ["--quiet", "--mode=root", "--variant=apt", include, "--aptopt=APT::Sandbox::User root"]
        subprocess.run(["mmdebstrap", *options, RELEASE, str(root), *mirrors], check=True)
    else:
        command = ["debootstrap", "--variant=minbase", include, RELEASE, str(root), *mirrors]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _configured_mirrors() -> list[str]:
    lines = _SOURCES.read_text("utf-8").splitlines() if _SOURCES.exists() else []
    return [line.split()[1] for line in lines if line.startswith("URIs:")]


@contextmanager
def mounted(root: Path) -> Iterator[None]:
    """Mount the usual file systems; call it in a separate mount namespace."""
    with ExitStack() as stack:
        for name in ("null", "zero", "full", "random", "urandom", "tty"):
            place = root / "dev" / name
            place.touch()
            _mount(stack, place, "--bind", f"/dev/{name}")
        for source, target, kind in _MOUNTS:
            (root / target).mkdir(exist_ok=True)
            _mount(stack, root / target, "-t", kind, source)
        yield


def _mount(stack: ExitStack, place: Path, *arguments: str) -> None:
    subprocess.run(["mount", *arguments, str(place)], check=True)
    stack.callback(subprocess.run, ["umount", "--lazy", str(place)], check=False)


def command_in(root: Path, *command: str) -> tuple[str, ...]:
    """Return the command that runs another one on the machine as root, with a login's environment."""
    path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return ("env", "-i", "HOME=/root", "LANG=C.UTF-8", path, "chroot", str(root), *command)

#!/usr/bin/python3
"""Replacement of systemctl on a machine where systemd is not process 1.

It starts the commands of units as their users, and supports `daemon-reload`, `disable`, `enable --now`,
`reload`, `restart` and `stop`. Other directives of units (sandboxing, limits) have no effect. It only imports
the standard library, because it runs on that machine.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

UNITS, PIDS = Path("/etc/systemd/system"), Path("/run/units")


def read(unit: str) -> dict[str, list[str]]:
    """Return the settings of a unit file, each with its values in order."""
    found: dict[str, list[str]] = {}
    for line in (UNITS / unit).read_text("utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith(("#", ";")):
            found.setdefault(name.strip(), []).append(value.strip())
    return found


def start(unit: str) -> None:
    """Start a service: create its folders, then run its commands as its user. A timer is only enabled."""
    if not unit.endswith(".service"):
        return
    settings = read(unit)
    user = settings["User"][0]
    for name, above in (
        ("RuntimeDirectory", "/run"),
        ("StateDirectory", "/var/lib"),
        ("LogsDirectory", "/var/log"),
    ):
        for folder in settings.get(name, []):
            mode = settings.get(f"{name}Mode", ["0755"])[0]
            subprocess.run(
                ["install", "-d", "-m", mode, "-o", user, "-g", user, f"{above}/{folder}"], check=True
            )
    environ = [word for line in settings.get("Environment", []) for word in line.split()]
    output = subprocess.DEVNULL if settings.get("StandardOutput") == ["null"] else journal(unit)
    as_user = ["setpriv", "--reuid", user, "--regid", user, "--init-groups"]
    for capability in settings.get("AmbientCapabilities", []):
        name = capability.removeprefix("CAP_").lower()
        as_user += ["--inh-caps", f"+{name}", "--ambient-caps", f"+{name}"]
    for command in settings.get("ExecStartPre", []):
        subprocess.run([*as_user, "sh", "-c", f"exec {command}"], stdout=output, check=True)
    for command in (each.replace("$$", "$") for each in settings["ExecStart"]):
        shell = [
            "env",
            "-i",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            *environ,
            *as_user,
            "sh",
            "-c",
            f"exec {command}",
        ]
        if settings.get("Type") == ["oneshot"]:
            subprocess.run(shell, stdout=output, stderr=journal(unit), check=True)
            continue
        process = subprocess.Popen(shell, stdout=output, stderr=journal(unit), start_new_session=True)
        (PIDS / unit).write_text(str(process.pid))


def journal(unit: str) -> int:
    """Open the file that replaces systemd's journal."""
    return os.open(f"/var/log/{unit}.journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def has_ended(pid: int) -> bool:
    """Return whether a process has ended. It may remain as a zombie, because no process reaps it here."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def stop(unit: str) -> None:
    """End a service with its signal and wait for it."""
    file = PIDS / unit
    if not file.exists():
        return
    pid = int(file.read_text())
    number = signal.Signals[read(unit).get("KillSignal", ["SIGTERM"])[0]]
    os.kill(pid, number)
    for _ in range(600):
        if has_ended(pid):
            break
        time.sleep(0.1)
    file.unlink()


def main() -> int:
    """Run the command of the arguments."""
    PIDS.mkdir(exist_ok=True)
    words = [word for word in sys.argv[1:] if word != "--now"]
    units = [word if "." in word else f"{word}.service" for word in words[1:]]
    for unit in units:
        if words[0] == "start" or (words[0] == "enable" and "--now" in sys.argv):
            start(unit)
        elif words[0] == "stop":
            stop(unit)
        elif words[0] == "restart":
            stop(unit)
            start(unit)
        elif words[0] == "reload":
            os.kill(int((PIDS / unit).read_text()), signal.SIGHUP)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The containers of one project, and what every step does with them."""

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.images_check.installation import prepare
from tools.packages import ROOT
from tools.stack.exchange import Answer, exchange

PROJECT = "erp-images-check"
FILES = ("deploy/compose.yaml", "deploy/compose.dev.yaml")
OURS = ("erp-gateway", "supplier-returns")
OLD, NEW = "check-old", "check-new"


class StepFailed(Exception):  # noqa: N818 - it is a verdict
    """A step did not show what it had to."""


def demand(*, holds: bool, what: str) -> None:
    """Fail with the text unless it holds."""
    if not holds:
        raise StepFailed(what)


class Runbook:
    """The containers of one project, and what the steps do with them.

    Args:
        folder: for what the installation brings: see `tools.images_check.installation`.
    """

    def __init__(self, folder: Path) -> None:
        self.site = prepare(folder)
        self.port = self.site.origin
        self._environ = {
            **os.environ,
            "ORIGIN_PORT": str(self.port),
            "IMAGE_TAG": OLD,
            "EDGE_SUBNET": "172.31.251.0/24",
        }

    @property
    def python_image(self) -> str:
        """The base of our images: the environment's, else the one that compose would take."""
        named = dict(
            line.split("=", 1)
            for line in (ROOT / "deploy/.env").read_text("utf-8").splitlines()
            if "=" in line
        )
        return self._environ.get("PYTHON_IMAGE", named["PYTHON_IMAGE"])

    def compose(self, *arguments: str, tag: str = OLD) -> str:
        """Run compose on the project; return what it printed."""
        files = [part for file in (*FILES, str(self.site.compose_file)) for part in ("--file", file)]
        return self.run("docker", "compose", "--project-name", PROJECT, *files, *arguments, tag=tag)

    def run(self, *command: str, tag: str = OLD) -> str:
        """Run a command; return what it printed.

        Raises:
            StepFailed: it failed; the text has the end of what it said.
        """
        environ = {**self._environ, "IMAGE_TAG": tag}
        done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
        if done.returncode:
            raise StepFailed(f"{' '.join(command[:6])} …: {(done.stdout + done.stderr).strip()[-600:]}")
        return done.stdout.strip()

    def container(self, service: str) -> dict[str, Any]:
        """Return what the engine knows of a service's container."""
        (found,) = json.loads(self.run("docker", "inspect", self.compose("ps", "--quiet", service)))
        known: dict[str, Any] = found
        return known

    def up(self, *, tag: str = OLD) -> None:
        """Start, and wait until everything is healthy."""
        self.compose("up", "--detach", "--no-build", "--wait", "--wait-timeout", "180", tag=tag)

    def ask(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        """Send a request through nginx."""
        return exchange(self.port, method, path, body, timeout_s=60, **more)

    def control(self, method: str, path: str) -> Any:
        """Ask the simulated ERP's control port; return the JSON."""
        return exchange(self.site.control, method, path, timeout_s=60).body

    def started_at(self, service: str) -> str:
        """Return when the container's process began."""
        began: str = self.container(service)["State"]["StartedAt"]
        return began

    def sign_in(self, web_user: str) -> str:
        """Sign a web user in; return the token."""
        body = {"username": web_user, "password": f"{web_user}-demo"}
        answer = self.ask("POST", "/api/auth/login", body)
        demand(holds=answer.status == 200, what=f"{web_user} gets {answer.status}: {answer.content[:200]!r}")
        token: str = answer.body["token"]
        return token

    def audit_total(self) -> int:
        """Return how many audit records there are."""
        total: int = self.ask("GET", "/api/audit?pageSize=1", token=self.sign_in("ana")).body["total"]
        return total

    def answers_again(self, path: str, *, within_s: float) -> float:
        """Ask until it is answered; return the seconds.

        Raises:
            StepFailed: it was not, in time.
        """
        begun = time.monotonic()
        while time.monotonic() - begun < within_s:
            try:
                if self.ask("GET", path).status == 200:
                    return time.monotonic() - begun
            except OSError:
                pass
            time.sleep(0.2)
        raise StepFailed(f"{path} is not answered after {within_s:g} s")


@contextmanager
def asking(book: Runbook) -> Iterator[list[str]]:
    """Ask for the gateway's health from two threads all the while; what failed is in the list."""
    failures: list[str] = []
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            try:
                status = book.ask("GET", "/api/health").status
            except OSError as error:
                failures.append(repr(error))
            else:
                if status != 200:
                    failures.append(str(status))
            time.sleep(0.02)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield failures
    finally:
        ended.set()
        for thread in threads:
            thread.join()

"""The containers of one project, and operations that the steps share."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from attrs import frozen
from stack.exchange import Answer, exchange

from tools.packages import ROOT

FILES = (
    "deploy/compose.yaml",
    "deploy/compose.dev.yaml",
    "deploy/compose.build.yaml",
    "deploy/compose.returns-origin.yaml",
)
OURS = ("erp-gateway", "supplier-returns")
OLD, NEW = "check-old", "check-new"
RETURNS_NAME = "devoluciones.localhost"
"""Host name of supplier-returns' own origin."""


class StepFailed(Exception):  # noqa: N818 - it is a verdict
    """A step failed."""


def demand(*, holds: bool, what: str) -> None:
    """Fail with the text unless the condition is true."""
    if not holds:
        raise StepFailed(what)


@frozen(kw_only=True)
class Place:
    """Identity of a project's containers.

    Attributes:
        project: compose's name for them.
        files: compose files, relative to the repository or whole paths.
        subnet: nginx's network.
        origin: nginx's port on loopback.
        returns_origin: nginx's port for supplier-returns alone.
        control: port of the simulated ERP's control.
    """

    project: str
    files: tuple[str, ...]
    subnet: str
    origin: int
    returns_origin: int
    control: int


class Containers:
    """The containers of one project.

    Args:
        place: their identity.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.port = place.origin
        self.environ = {
            **os.environ,
            "ORIGIN_PORT": str(self.port),
            "RETURNS_BIND": f"127.0.0.1:{place.returns_origin}",
            "RETURNS_SERVER_NAME": RETURNS_NAME,
            "IMAGE_TAG": OLD,
            "EDGE_SUBNET": place.subnet,
            "PDF_ENGINE": "",
            "WITH_HANA": "",
        }

    def base(self, name: str) -> str:
        """Return a third-party image: from the environment, or compose's default."""
        lines = (ROOT / "deploy/.env").read_text("utf-8").splitlines()
        named = dict(line.split("=", 1) for line in lines if "=" in line)
        return self.environ.get(name) or named[name]

    def compose(self, *arguments: str, tag: str = OLD, **environ: str) -> str:
        """Run compose on the project; return its output."""
        return self.run(*self.compose_command(*arguments), tag=tag, **environ)

    def compose_command(self, *arguments: str) -> tuple[str, ...]:
        """Return the command that runs compose on the project."""
        files = [part for file in self.place.files for part in ("--file", file)]
        return ("docker", "compose", "--project-name", self.place.project, *files, *arguments)

    def run(self, *command: str, tag: str = OLD, **environ: str) -> str:
        """Run a command with additional environment variables; return its output.

        Raises:
            StepFailed: it failed; the text has the end of its output.
        """
        environ = {**self.environ, "IMAGE_TAG": tag, **environ}
        done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
        if done.returncode:
            raise StepFailed(f"{' '.join(command[:6])} …: {(done.stdout + done.stderr).strip()[-600:]}")
        return done.stdout.strip()

    def stream(
        self, *arguments: str, stdin: IO[bytes] | None = None, stdout: IO[bytes] | None = None
    ) -> None:
        """Run compose with files as input or output.

        Raises:
            StepFailed: it failed; the text has the end of its output.
        """
        command = self.compose_command(*arguments)
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=self.environ,
            check=False,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )
        if done.returncode:
            raise StepFailed(f"{' '.join(arguments[:6])} …: {done.stderr.decode()[-600:]}")

    def ended_with(self, service: str) -> int:
        """Return the exit code of a service's container that has ended."""
        (found,) = json.loads(self.run("docker", "inspect", self.compose("ps", "--all", "--quiet", service)))
        code: int = found["State"]["ExitCode"]
        return code

    def container(self, service: str) -> dict[str, Any]:
        """Return the engine's description of a service's container, even while it restarts."""
        (found,) = json.loads(self.run("docker", "inspect", self.compose("ps", "--all", "--quiet", service)))
        known: dict[str, Any] = found
        return known

    def up(self, *, tag: str = OLD) -> None:
        """Start, and wait until everything is healthy."""
        self.compose("up", "--detach", "--no-build", "--wait", "--wait-timeout", "180", tag=tag)

    def ask(self, method: str, path: str, body: object = None, **more: Any) -> Answer:
        """Send a request through nginx."""
        return exchange(self.port, method, path, body, timeout_s=60, **more)

    def control(self, method: str, path: str) -> Any:
        """Call the simulated ERP's control port; return the JSON."""
        return exchange(self.place.control, method, path, timeout_s=60).body

    def started_at(self, service: str) -> str:
        """Return when the container's process began."""
        began: str = self.container(service)["State"]["StartedAt"]
        return began

    def kill(self, service: str) -> None:
        """Kill the process of a service's container, and wait until the engine has started it again.

        Raises:
            StepFailed: it has not, within 60 s.
        """
        before = self.started_at(service)
        os.kill(self.container(service)["State"]["Pid"], signal.SIGKILL)
        end = time.monotonic() + 60
        while self.started_at(service) == before:
            demand(holds=time.monotonic() < end, what=f"{service} was not started again within 60 s")
            time.sleep(0.05)

    def sign_in(self, web_user: str) -> str:
        """Sign a web user in; return the token."""
        body = {"username": web_user, "password": f"{web_user}-demo"}
        answer = self.ask("POST", "/api/auth/login", body)
        demand(holds=answer.status == 200, what=f"{web_user} gets {answer.status}: {answer.content[:200]!r}")
        token: str = answer.body["token"]
        return token

    def audit_total(self) -> int:
        """Return the number of audit records."""
        total: int = self.ask("GET", "/api/audit?pageSize=1", token=self.sign_in("ana")).body["total"]
        return total

    def answers_again(self, path: str, *, within_s: float) -> float:
        """Poll a path until it responds; return the seconds.

        Raises:
            StepFailed: it did not respond in time.
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
def asking(book: Containers) -> Iterator[list[str]]:
    """Poll the gateway's health from two threads while the block runs; the list receives failures."""
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

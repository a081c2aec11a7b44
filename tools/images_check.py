"""Walk through the runbook of the containers with any Docker engine: what docs/operations.md says, done once.

Run as: python -m tools.images_check

Prints a line a step, with its seconds; exits 0 when all held, 1 when one did not. Without an engine it prints
SKIPPED, which is no pass, and exits 0. Project and port are its own; everything is taken down at the end.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from typing import Any

from tools.packages import ROOT
from tools.stack.company import ERP_PASSWORD, WAREHOUSE_USER
from tools.stack.exchange import Answer, exchange
from tools.stack.processes import free_port

PROJECT = "erp-images-check"
FILES = ("deploy/compose.yaml", "deploy/compose.dev.yaml")
OURS = ("erp-gateway", "supplier-returns")
BACKUP = "/backups/check.sqlite"
GRANTED = ["/ventas/pedidos/*", "/socios"]
OLD, NEW = "check-old", "check-new"


class StepFailed(Exception):  # noqa: N818 - it is a verdict
    """A step did not show what it had to."""


def demand(*, holds: bool, what: str) -> None:
    """Fail with the text unless it holds."""
    if not holds:
        raise StepFailed(what)


class Runbook:
    """The containers of one project, and what the steps do with them."""

    def __init__(self) -> None:
        self.port = free_port()
        self._environ = {
            **os.environ,
            "ORIGIN_PORT": str(self.port),
            "IMAGE_TAG": OLD,
            "EDGE_SUBNET": "172.31.251.0/24",
        }

    def compose(self, *arguments: str, tag: str = OLD) -> str:
        """Run compose on the project; return what it printed."""
        files = [part for file in FILES for part in ("--file", file)]
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


def build(book: Runbook) -> None:
    """Build the images, twice named, as two versions."""
    book.compose("build")
    for service in (*OURS, "erpsim"):
        book.run("docker", "tag", f"{service}:{OLD}", f"{service}:{NEW}")


def start(book: Runbook) -> None:
    """Start everything; it is healthy, and the labels say what it is."""
    book.up()
    for service in OURS:
        labels = book.container(service)["Config"]["Labels"]
        demand(holds=labels["org.opencontainers.image.version"] == OLD, what=f"{service}: {labels}")


def locked_in(book: Runbook) -> None:
    """No root, nothing writable but what is meant to be, no capability, bounded in memory and processes."""
    for service in (*OURS, "nginx"):
        found = book.container(service)
        host = found["HostConfig"]
        user = found["Config"]["User"]
        demand(holds=user not in ("", "0", "root"), what=f"{service} runs as {user!r}")
        demand(holds=host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"], what=f"{service}: {host}")
        demand(holds=bool(host["Memory"] and host["PidsLimit"]), what=f"{service} is not bounded")
    for service in OURS:
        try:
            book.compose("exec", "-T", service, "python", "-c", "open('/app/x', 'w')")
        except StepFailed:
            continue
        raise StepFailed(f"{service} can write into its image")


def main_path(book: Runbook) -> None:
    """Through nginx: people sign in, read and write; the console is there."""
    ana = book.sign_in("ana")
    granted = book.ask("PUT", "/api/permissions/luis", {"paths": GRANTED}, token=ana)
    demand(holds=granted.status == 200, what=f"permissions: {granted.content[:200]!r}")
    luis = book.sign_in("luis")
    query = "/api/sl/BusinessPartners?$select=CardCode&$filter=CardType%20eq%20%27cCustomer%27&$top=1"
    customer = book.ask("GET", query, token=luis).body["value"][0]["CardCode"]
    items = book.ask(
        "GET", "/api/sl/Items?$select=ItemCode&$filter=SalesItem%20eq%20%27tYES%27&$top=1", token=luis
    )
    order = {
        "CardCode": customer,
        "DocDueDate": "2030-12-31",
        "DocumentLines": [{"ItemCode": items.body["value"][0]["ItemCode"], "Quantity": 1}],
    }
    made = book.ask("POST", "/api/sl/Orders", order, token=luis)
    demand(holds=made.status == 201, what=f"an order: {made.status} {made.content[:200]!r}")
    login = book.ask(
        "POST", "/devoluciones/api/auth/login", {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD}
    )
    demand(holds=login.status == 200, what=f"returns: {login.status}")
    cookie = SimpleCookie(login.headers["Set-Cookie"])["dp_sid"].value
    listed = book.ask("GET", "/devoluciones/api/catalogos/almacenes", headers={"Cookie": f"dp_sid={cookie}"})
    demand(holds=listed.status == 200, what=f"warehouses: {listed.status}")
    demand(holds=book.ask("GET", "/consola/").status == 200, what="there is no console")


def backup_and_restore(book: Runbook) -> None:
    """Back up while it serves, lose the store's volume, restore as the service's user: the same as before."""
    before = book.audit_total()
    book.compose("exec", "-T", "erp-gateway", "erp-gateway", "backup", BACKUP)
    book.compose("rm", "--stop", "--force", "erp-gateway")
    book.run("docker", "volume", "rm", f"{PROJECT}_gateway-data")
    copy = f"import shutil; shutil.copyfile('{BACKUP}', '/data/app.sqlite')"
    book.compose("run", "--rm", "--no-deps", "-T", "--entrypoint", "python", "erp-gateway", "-c", copy)
    book.up()
    verified = book.compose("exec", "-T", "erp-gateway", "erp-gateway", "audit", "verify")
    after = book.audit_total()
    demand(holds=after >= before, what=f"{before} audit records became {after}")
    paths = book.ask("GET", "/api/permissions/luis", token=book.sign_in("ana")).body
    demand(holds=GRANTED[0] in json.dumps(paths), what=f"luis has {paths}; {verified}")


def reload_nginx(book: Runbook) -> None:
    """nginx takes a new configuration while requests run; none fails."""
    with asking(book) as failures:
        for _ in range(3):
            book.compose("kill", "--signal", "HUP", "nginx")
            time.sleep(1)
    demand(holds=not failures, what=f"failed meanwhile: {failures[:3]}")


def upgrade_and_back(book: Runbook) -> None:
    """Another version takes over the volume, and the first one again; the records are there."""
    before = book.audit_total()
    for tag in (NEW, OLD):
        book.up(tag=tag)
        image = book.container("erp-gateway")["Config"]["Image"]
        demand(holds=image == f"erp-gateway:{tag}", what=f"{image} runs")
        demand(holds=book.audit_total() >= before, what="audit records are gone")


def kill_each(book: Runbook) -> None:
    """The process of each container is killed under load; the engine starts it again, and it is found."""
    paths = {"erp-gateway": "/api/health", "supplier-returns": "/devoluciones/api/health", "nginx": "/"}
    for service, path in paths.items():
        with asking(book):
            os.kill(book.container(service)["State"]["Pid"], 9)
            took = book.answers_again(path, within_s=60)
        print(f"     {service}: answered again after {took:.1f} s", flush=True)
    main_path(book)


def stop(book: Runbook) -> None:
    """Everything ends in an orderly way."""
    book.compose("stop")
    for service in OURS:
        found = json.loads(book.run("docker", "inspect", book.compose("ps", "--all", "--quiet", service)))
        code = found[0]["State"]["ExitCode"]
        demand(holds=code == 0, what=f"{service} ended with {code}")


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


STEPS: tuple[Callable[[Runbook], None], ...] = (
    build,
    start,
    locked_in,
    main_path,
    backup_and_restore,
    reload_nginx,
    upgrade_and_back,
    kill_each,
    stop,
)


def has_engine() -> bool:
    """Tell whether there is a Docker engine with compose."""
    try:
        done = [
            subprocess.run(command, capture_output=True, check=False).returncode
            for command in (["docker", "info"], ["docker", "compose", "version"])
        ]
    except OSError:
        return False
    return not any(done)


def take(book: Runbook, step: Callable[[Runbook], None]) -> bool:
    """Take a step and tell how it went; return whether it held."""
    begun = time.monotonic()
    try:
        step(book)
    except StepFailed as error:
        print(f"FAIL {step.__name__}: {error}", flush=True)
        print(book.compose("logs", "--tail", "15")[-3000:], flush=True)
        return False
    print(
        f"ok   {step.__name__} ({time.monotonic() - begun:.0f} s): {(step.__doc__ or '').strip()}", flush=True
    )
    return True


def main() -> int:
    """Take the steps in order until one does not hold; take everything down in any case."""
    if not has_engine():
        print("SKIPPED: no Docker engine here")
        return 0
    book = Runbook()
    try:
        held = all(take(book, step) for step in STEPS)
        for service in (*OURS, "erpsim"):
            size = book.run("docker", "images", "--format", "{{.Size}}", f"{service}:{OLD}")
            print(f"     {service}: {size}", flush=True)
    finally:
        book.compose("down", "--volumes", "--timeout", "5")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())

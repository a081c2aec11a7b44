"""The measured processes, each on a free loopback port and, if possible, on its own CPU.

With two CPUs or more, the server under test has the first one for itself. The upstream stub and the load
generator share the second one.
"""

import http
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from stack.addresses import Addresses
from stack.exchange import exchange
from stack.processes import LOOPBACK, Child
from stack.stack import gateway_process

from bench.peers import fastapi_proxy, nginx_proxy, node_proxies
from bench.upstream import WEB_PASSWORD
from servicekit.testing.ports import free_port

_SOURCES = ("services/erp-gateway/src", "libs/erpclient/src", "libs/servicekit/src")
SERVER_CPU = 0
LOAD_CPU = 1
ADMINISTRATOR = "bench_admin"
MENU = "/socios"
"""Menu route that reading business partners requires."""


def pin(pid: int, cpu: int) -> None:
    """Keep a process on one CPU if the system supports that and has at least two."""
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(pid, {cpu})


@contextmanager
def on_all_cores() -> Iterator[None]:
    """Remove the pinning of this process to one core, for itself and its children."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@dataclass(frozen=True)
class Server:
    """A running server: its name, process and port, and the token that its requests carry."""

    name: str
    child: Child
    port: int
    token: str | None = None

    def cpu_s(self) -> float:
        """CPU seconds used so far, including children."""
        processes = self._processes()
        return sum(times.user + times.system for times in (process.cpu_times() for process in processes))

    def rss_bytes(self) -> int:
        """Resident memory of the process and its children."""
        return sum(process.memory_info().rss for process in self._processes())

    def _processes(self) -> list[psutil.Process]:
        process = psutil.Process(self.child.pid)
        return [process, *process.children(recursive=True)]


@contextmanager
def upstream_stub(
    folder: Path, *, latency_s: float = 0.0, penalty_s: float = 0.0, free: int = 2, serial: bool = False
) -> Iterator[Server]:
    """Run the upstream stub; see `bench.upstream`."""
    port = free_port()
    command = [sys.executable, "-m", "bench.upstream", "--port", str(port)]
    command += ["--latency-s", str(latency_s), "--penalty-s", str(penalty_s), "--free", str(free)]
    command += ["--serial"] if serial else []
    with Child("upstream stub", command, log=folder / f"stub-{port}.log") as child:
        pin(child.pid, LOAD_CPU)
        child.wait_until_it_answers(port, "/ping/")
        yield Server("upstream stub", child, port)


def stub_tally(stub: Server) -> dict[str, int]:
    """Return the stub's counts since the last call."""
    tally: dict[str, int] = _ask(stub.port, "GET", "/__stub")
    return tally


@contextmanager
def _peer(folder: Path, name: str, command: list[str], port: int, token: str | None) -> Iterator[Server]:
    with Child(name, command, log=folder / f"{name.replace(' ', '-')}.log") as child:
        pin(child.pid, SERVER_CPU)
        child.wait_until_it_answers(port, "/")
        yield Server(name, child, port, token)


@contextmanager
def bare_proxy(folder: Path, upstream_port: int) -> Iterator[Server]:
    """Run peer (a), which is also the naive proxy."""
    port = free_port()
    command = [sys.executable, "-m", "bench.peers.bare", str(port), str(upstream_port)]
    with _peer(folder, "(a) bare proxy", command, port, None) as server:
        yield server


@contextmanager
def fastapi_server(folder: Path, upstream_port: int) -> Iterator[Server]:
    """Run peer (b)."""
    port = free_port()
    command = [sys.executable, "-m", "bench.peers.fastapi_proxy", str(port), str(upstream_port)]
    with _peer(folder, "(b) FastAPI + httpx", command, port, fastapi_proxy.TOKEN) as server:
        yield server


@contextmanager
def nginx_server(folder: Path, upstream_port: int) -> Iterator[Server]:
    """Run peer (c)."""
    port = free_port()
    own = folder / "peer-nginx"
    own.mkdir()
    command = nginx_proxy.command(own, port=port, upstream_port=upstream_port)
    with _peer(folder, "(c) nginx", command, port, None) as server:
        yield server


@contextmanager
def node_server(folder: Path, upstream_port: int, name: str, node: Path) -> Iterator[Server]:
    """Run peer (d), (e) or (f)."""
    port = free_port()
    command = node_proxies.command(node, name, port=port, upstream_port=upstream_port)
    with _peer(folder, name, command, port, fastapi_proxy.TOKEN) as server:
        yield server


@contextmanager
def gateway(
    folder: Path,
    upstream_port: int,
    *,
    concurrency: int,
    web_users: tuple[str, ...] = ("bench",),
    further: Mapping[str, str] | None = None,
) -> Iterator[tuple[Server, dict[str, str]]]:
    """Run the gateway with log, audit and metrics, and sign web users in; `further` adds settings.

    Yields:
        the server with the first user's token, and every user's token by name. Each user has exactly the menu
        route of the measured list.
    """
    own = folder / f"gateway-{concurrency}"
    own.mkdir(exist_ok=True)
    addresses = Addresses(origin=0, gateway=free_port(), metrics=free_port(), erpsim=upstream_port, control=0)
    # The stub and the peers speak OData 3.
    own_version = {"ERP_SL_URL": f"http://{LOOPBACK}:{upstream_port}/b1s/v1"}
    settings = gateway_settings(concurrency) | own_version | dict(further or {})
    with gateway_process(own, addresses, settings) as child:
        pin(child.pid, SERVER_CPU)
        child.wait_until_it_answers(addresses.gateway, "/api/health")
        port = addresses.gateway
        administrator = _log_in(port, ADMINISTRATOR)
        tokens = {}
        for web_user in web_users:
            path = f"/api/permissions/{web_user}"
            _ask(port, "PUT", path, {"paths": [MENU]}, token=administrator)
            tokens[web_user] = _log_in(port, web_user)
        yield Server("erp-gateway", child, port, tokens[web_users[0]]), tokens


@contextmanager
def build(folder: Path, upstream_port: int, checkout: Path | None, *, concurrency: int) -> Iterator[Server]:
    """Run the gateway of this tree, or of another checkout; requests carry the administrator's token.

    Raises:
        FileNotFoundError: the checkout lacks a folder of the code, so this tree's would run.
    """
    code = {}
    if checkout is not None:
        code["PYTHONPATH"] = ":".join(str((checkout / part).resolve(strict=True)) for part in _SOURCES)
    folder.mkdir()
    with gateway(folder, upstream_port, concurrency=concurrency, further=code) as (server, _):
        yield Server(server.name, server.child, server.port, sign_in_administrator(server.port))


def gateway_settings(concurrency: int) -> dict[str, str]:
    """Settings of the measured gateway beyond those of every local stack."""
    return {
        "ADMIN_WEB_USERS": ADMINISTRATOR,
        "ENVIRONMENT": "production",
        "LOG_FORMAT": "json",
        "LOG_LEVEL": "INFO",
        "ERP_SL_MAX_CONCURRENCY": str(concurrency),
    }


def sign_in_administrator(port: int) -> str:
    """Return a token of the administrator; the previous one ends."""
    return _log_in(port, ADMINISTRATOR)


def _log_in(port: int, web_user: str) -> str:
    credentials = {"username": web_user, "password": WEB_PASSWORD}
    token: str = _ask(port, "POST", "/api/auth/login", credentials)["token"]
    return token


def _ask(port: int, method: str, path: str, body: object = None, *, token: str | None = None) -> Any:
    answer = exchange(port, method, path, body, token=token)
    if answer.status >= http.HTTPStatus.BAD_REQUEST:
        raise RuntimeError(f"{method} {path}: {answer.status} {answer.content.decode(errors='replace')}")
    return answer.body

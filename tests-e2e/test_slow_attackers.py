"""People without any right who hold on to what they send: nginx and the services go on answering others."""

import json
import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from stack import nginx
from stack.addresses import Addresses
from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import Answer, exchange
from stack.processes import LOOPBACK

from servicekit.testing.ports import free_port

Ask = Callable[..., Answer]
MIB = 1024 * 1024
PASTE = "/devoluciones/api/planificaciones/pegar"
STRANGER, OFFICE = "127.0.0.7", "127.0.0.8"
HALF_SENT_HEADS = 2_500
REQUESTS_OF_AN_ADDRESS = 256


def begin(port: int, head: str, body: bytes = b"", *, source: str = STRANGER) -> socket.socket:
    """Open a connection and send what a request begins with."""
    wire = socket.create_connection((LOOPBACK, port), timeout=60, source_address=(source, 0))
    wire.sendall(head.encode() + body)
    return wire


def post(path: str, length: int, *lines: str) -> str:
    """Return the head of a POST that announces a body."""
    first = (
        f"POST {path} HTTP/1.1",
        "Host: x",
        "Content-Type: application/json",
        f"Content-Length: {length}",
    )
    return "\r\n".join((*first, *lines, "", ""))


def answer_on(wire: socket.socket) -> tuple[int, str]:
    """Read an answer to its end; return its status and its code."""
    received = b""
    while part := wire.recv(65536):
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["code"]


def test_an_unfinished_anonymous_body_is_refused_before_its_end(addresses: Addresses) -> None:
    with begin(addresses.origin, post(PASTE, 10 * MIB), b" " * 5 * MIB) as wire:
        assert answer_on(wire) == (401, "session_required")


@pytest.fixture
def deaf_service() -> Iterator[int]:
    """The port of a service that takes what it is sent and never answers."""
    with socket.create_server((LOOPBACK, 0)) as listening:
        yield listening.getsockname()[1]


def kept_bodies(master: int) -> list[str]:
    """Return the files that nginx's workers hold in its folder of bodies; they have no name there."""
    workers = Path(f"/proc/{master}/task/{master}/children").read_text(encoding="ascii").split()
    files = [each for worker in workers for each in Path(f"/proc/{worker}/fd").iterdir()]
    names = [str(each.readlink()) for each in files if each.is_symlink()]
    return [each for each in names if "/client_body/" in each]


def test_an_unfinished_body_is_not_stored_by_nginx(tmp_path: Path, deaf_service: int) -> None:
    port = free_port()
    child = nginx.origin(tmp_path, port=port, erp_gateway=deaf_service, supplier_returns=deaf_service)
    with child, ExitStack() as stack:
        child.wait_until_it_answers(port, "/")
        for path, length in ((PASTE, 10 * MIB), ("/api/sl/Orders", MIB), ("/devoluciones/api/x", MIB)):
            stack.enter_context(begin(port, post(path, length), b" " * (length // 4)))
            time.sleep(1)  # long enough for nginx to have put it somewhere
            assert kept_bodies(child.pid) == [], path


def test_a_slow_body_ends_with_408_and_other_requests_are_served(addresses: Addresses, ask: Ask) -> None:
    login = ask("POST", "/devoluciones/api/auth/login", {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD})
    cookie = login.headers["Set-Cookie"].split(";")[0]
    head = post(PASTE, 10 * MIB, f"Cookie: {cookie}")
    with begin(addresses.origin, head, b'{"texto": "') as wire:
        begun = time.monotonic()
        wire.settimeout(1)
        while time.monotonic() - begun < 90:
            wire.sendall(b"x" * 1000)
            assert ask("GET", "/devoluciones/api/auth/me", headers={"Cookie": cookie}).status == 200
            try:
                first = wire.recv(65536)
                break
            except TimeoutError:
                continue
        else:
            pytest.fail("a body may take for ever")
    assert first.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"request_timeout"' in first.replace(b'": ', b'":')


@pytest.mark.usefixtures("own_ports")  # before containers the engine's own address stands
def test_the_connection_limit_of_one_address_leaves_room_for_others(addresses: Addresses) -> None:
    head = post("/api/auth/login", 1000)
    with ExitStack() as stack:
        for _ in range(REQUESTS_OF_AN_ADDRESS):
            stack.enter_context(begin(addresses.origin, head, b"{"))
        deadline = time.monotonic() + 60
        while True:
            refused = exchange(addresses.origin, "GET", "/api/health", source=STRANGER)
            if refused.status != 200 or time.monotonic() > deadline:
                break
        assert (refused.status, refused.code) == (429, "too_many_connections")
        assert refused.body["detail"] == refused.body["message"] != ""
        assert exchange(addresses.origin, "GET", "/api/health", source=OFFICE).status == 200
    deadline = time.monotonic() + 60
    while exchange(addresses.origin, "GET", "/api/health", source=STRANGER).status != 200:
        assert time.monotonic() < deadline, "their places are not free again"
        time.sleep(0.1)


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process hold as many connections as the test opens."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = HALF_SENT_HEADS + 500
    if hard < wanted:
        pytest.skip(f"no process may open {wanted} files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_half_sent_heads_leave_room_for_other_clients(addresses: Addresses, many_files: None) -> None:
    head = "GET /api/health HTTP/1.1\r\nHost: x\r\nX-Half: "
    with ExitStack() as stack:
        for _ in range(HALF_SENT_HEADS):
            stack.enter_context(begin(addresses.origin, head))
        for _ in range(20):
            assert exchange(addresses.origin, "GET", "/api/health", source=OFFICE, timeout_s=20).status == 200

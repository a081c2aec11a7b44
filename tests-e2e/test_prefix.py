"""What nginx really sends to the services, byte for byte."""

import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.stack import nginx
from tools.stack.exchange import exchange
from tools.stack.processes import LOOPBACK
from typing_extensions import override

from servicekit.testing.ports import free_port


class Echo(socketserver.StreamRequestHandler):
    """Answers each request with its own head."""

    @override
    def handle(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.rfile.readline()
            if not line:
                return
            head += line
        answer = (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
        )
        self.wfile.write(answer % len(head) + head)


@pytest.fixture(scope="module")
def echo_port() -> Iterator[int]:
    with socketserver.ThreadingTCPServer((LOOPBACK, 0), Echo) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def origin(echo_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """nginx with an echo in the place of both services."""
    folder: Path = tmp_path_factory.mktemp("nginx")
    port = free_port()
    with nginx.origin(folder, port=port, erp_gateway=echo_port, supplier_returns=echo_port) as child:
        child.wait_until_it_answers(port, "/")
        yield port


def heads(origin: int, path: str, **headers: str) -> dict[str, str]:
    """Return what the service got: its request line under '', its headers by lower-case name."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = exchange(origin, "GET", path, headers=sent)
    assert answer.status == 200, answer.content
    first, *lines = answer.content.decode().strip().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    return {"": first, **{name.lower(): value for name, value in fields.items()}}


@pytest.mark.parametrize(
    "path",
    [
        "/api/sl/Items/A%2F1",
        "/api/sl/Items/A%2f1%25%20%27%3F%23%2B%C3%B1?$select=ItemCode&$filter=a%20eq%20%27b%26c%27",
        "/api/sl/Items/..%2f..%2fx",
        "/api//health",
        "/api?x=1",
    ],
)
def test_gateway_gets_the_path_unchanged(origin: int, path: str) -> None:
    assert heads(origin, path)[""] == f"GET {path} HTTP/1.1"


@pytest.mark.parametrize(
    ("path", "inner"),
    [
        ("/devoluciones/", "/"),
        ("/devoluciones/api/planificaciones", "/api/planificaciones"),
        ("/devoluciones/api/x/A%2F1%20?a=%2F&b", "/api/x/A%2F1%20?a=%2F&b"),
        ("/devoluciones/devoluciones/x", "/devoluciones/x"),
    ],
)
def test_returns_service_gets_the_path_without_the_prefix(origin: int, path: str, inner: str) -> None:
    got = heads(origin, path)
    assert got[""] == f"GET {inner} HTTP/1.1"
    assert got["x-forwarded-prefix"] == "/devoluciones"


def test_prefix_spelt_otherwise_reaches_nobody(origin: int) -> None:
    assert exchange(origin, "GET", "/devoluci%6Fnes/api/x").status == 404
    assert exchange(origin, "GET", "/x/../devoluciones/api/x").status == 404


def test_what_a_client_says_about_its_origin_is_overwritten(origin: int) -> None:
    got = heads(
        origin,
        "/api/health",
        X_Forwarded_For="6.6.6.6",
        X_Forwarded_Proto="https",
        X_Forwarded_Host="evil.example",
        X_Forwarded_Prefix="/evil",
        X_Forwarded_Port="1",
        X_Forwarded_Server="evil",
        X_Real_IP="6.6.6.6",
        Forwarded="for=6.6.6.6",
    )
    assert got["x-forwarded-for"] == LOOPBACK
    assert got["x-forwarded-proto"] == "http"
    assert got["x-forwarded-host"] == f"{LOOPBACK}:{origin}"
    assert not {
        "x-forwarded-prefix",
        "x-forwarded-port",
        "x-forwarded-server",
        "x-real-ip",
        "forwarded",
    } & set(got)


def test_request_id_is_kept_if_it_is_well_formed_and_made_if_not(origin: int) -> None:
    assert heads(origin, "/api/health", X_Request_ID="abc-1.Z_9")["x-request-id"] == "abc-1.Z_9"
    for bad in ("a b", "x" * 65, "ñ".encode().decode("latin-1")):
        made = heads(origin, "/api/health", X_Request_ID=bad)["x-request-id"]
        assert len(made) == 32
        assert made.isalnum()

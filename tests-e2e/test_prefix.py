"""The bytes that nginx sends to the services."""

import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from stack import nginx
from stack.exchange import exchange
from stack.processes import LOOPBACK
from typing_extensions import override

from servicekit.testing.ports import free_port

RETURNS_NAME = "devoluciones.test"


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
def ports(echo_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """nginx with an echo in the place of both services: the one origin, and that of returns alone."""
    folder: Path = tmp_path_factory.mktemp("nginx")
    port, alone = free_port(), free_port()
    child = nginx.origin(
        folder,
        port=port,
        erp_gateway=echo_port,
        supplier_returns=echo_port,
        returns_origin=alone,
        returns_name=RETURNS_NAME,
    )
    with child:
        child.wait_until_it_answers(port, "/")
        yield port, alone
    assert "uninitialized" not in child.output()


@pytest.fixture(scope="module")
def origin(ports: tuple[int, int]) -> int:
    """Port of the one origin."""
    return ports[0]


@pytest.fixture(scope="module")
def alone(ports: tuple[int, int]) -> int:
    """Port where the returns service has an origin of its own."""
    return ports[1]


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
def test_the_gateway_receives_the_path_unchanged(origin: int, path: str) -> None:
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
def test_the_returns_service_receives_the_path_without_the_prefix(origin: int, path: str, inner: str) -> None:
    got = heads(origin, path)
    assert got[""] == f"GET {inner} HTTP/1.1"
    assert got["x-forwarded-prefix"] == "/devoluciones"


def test_an_encoded_prefix_reaches_no_service(origin: int) -> None:
    assert exchange(origin, "GET", "/devoluci%6Fnes/api/x").status == 404
    assert exchange(origin, "GET", "/x/../devoluciones/api/x").status == 404


PATHS_OF_RETURNS = (
    *("/", "/api", "/api/auth/login", "/api/planificaciones/A%2F1%20?a=%2F&b", "/api//x"),
    *("/devoluciones/api/x", "/consola/", "/index.html", "/.env", "/api/x/../y"),
)


@pytest.mark.parametrize("path", PATHS_OF_RETURNS)
def test_at_its_own_origin_the_returns_service_receives_paths_unchanged(alone: int, path: str) -> None:
    got = heads(alone, path, X_Forwarded_Prefix="/evil", X_Forwarded_For="6.6.6.6")
    assert got[""] == f"GET {path} HTTP/1.1"
    assert "x-forwarded-prefix" not in got
    assert got["x-forwarded-for"] == LOOPBACK
    assert got["x-forwarded-host"] == f"{LOOPBACK}:{alone}"
    assert got["x-forwarded-proto"] == "http"
    assert got["x-request-id"]


@pytest.mark.parametrize("path", PATHS_OF_RETURNS)
def test_the_returns_service_is_served_only_under_its_exact_host_name(origin: int, path: str) -> None:
    for name in (RETURNS_NAME, RETURNS_NAME.upper(), f"{RETURNS_NAME}:{origin}"):
        got = heads(origin, path, Host=name)
        assert got[""] == f"GET {path} HTTP/1.1"
        assert got["x-forwarded-host"] == name
        assert "x-forwarded-prefix" not in got
    landing = exchange(origin, "GET", "/", headers={"Host": f"x.{RETURNS_NAME}"})
    assert b"/devoluciones/" in landing.content


def test_the_returns_service_has_no_own_origin_unless_configured(echo_port: int, tmp_path: Path) -> None:
    port = free_port()
    with nginx.origin(tmp_path, port=port, erp_gateway=free_port(), supplier_returns=echo_port) as child:
        child.wait_until_it_answers(port, "/")
        for name in ("_", "localhost", "devoluciones.test", ""):
            assert exchange(port, "GET", "/api/auth/info", headers={"Host": name}).status in (400, 502), name


def test_forwarded_headers_of_a_client_are_overwritten(origin: int) -> None:
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


def test_a_valid_request_id_is_kept_and_an_invalid_one_is_replaced(origin: int) -> None:
    assert heads(origin, "/api/health", X_Request_ID="abc-1.Z_9")["x-request-id"] == "abc-1.Z_9"
    for bad in ("a b", "x" * 65, "ñ".encode().decode("latin-1")):
        made = heads(origin, "/api/health", X_Request_ID=bad)["x-request-id"]
        assert len(made) == 32
        assert made.isalnum()


@pytest.fixture(scope="module")
def companies(echo_port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Port of the one origin of two companies; each company's own nginx has an echo behind it."""
    own, shared = free_port(), free_port()
    first = nginx.origin(
        tmp_path_factory.mktemp("norte"),
        port=own,
        erp_gateway=echo_port,
        supplier_returns=echo_port,
        is_one_of_several=True,
    )
    front = nginx.companies(
        tmp_path_factory.mktemp("companies"), port=shared, by_name={"norte": own, "sur": free_port()}
    )
    with first, front:
        first.wait_until_it_answers(own, "/")
        front.wait_until_it_answers(shared, "/norte/")
        yield shared
    assert "uninitialized" not in front.output() + first.output()


@pytest.mark.parametrize(
    ("path", "inner", "prefix"),
    [
        ("/norte/api/sl/Items/A%2F1%20?x=%2F&b", "/api/sl/Items/A%2F1%20?x=%2F&b", "/norte"),
        ("/norte/devoluciones/api/x/A%2F1?a", "/api/x/A%2F1?a", "/norte/devoluciones"),
    ],
)
def test_each_of_several_companies_receives_its_prefix(
    companies: int, path: str, inner: str, prefix: str
) -> None:
    forged = {"X_Company_Prefix": "/evil", "X_Forwarded_Prefix": "/evil", "X_Forwarded_For": "6.6.6.6"}
    got = heads(companies, path, **forged)
    assert got[""] == f"GET {inner} HTTP/1.1"
    assert got["x-forwarded-prefix"] == prefix
    assert got["x-forwarded-for"] == LOOPBACK
    assert got["x-forwarded-host"] == f"{LOOPBACK}:{companies}"
    assert got["x-forwarded-proto"] == "http"


def test_an_unreachable_or_unknown_company_has_the_standard_error_body(companies: int) -> None:
    for path, status, code in (
        ("/sur/api/x", 502, "service_unreachable"),
        ("/este/api/x", 404, "not_found"),
        ("/api/x", 404, "not_found"),
    ):
        answer = exchange(companies, "GET", path)
        assert (answer.status, answer.body["code"]) == (status, code), path
    for path, there in (
        ("/norte", "/norte/"),
        ("/norte/consola", "/norte/consola/"),
        ("/norte/devoluciones", "/norte/devoluciones/"),
    ):
        answer = exchange(companies, "GET", path)
        assert (answer.status, answer.headers["Location"]) == (308, there)


def test_a_client_cannot_name_a_company_in_a_single_company_setup(origin: int) -> None:
    assert heads(origin, "/devoluciones/", X_Company_Prefix="/evil")["x-forwarded-prefix"] == "/devoluciones"

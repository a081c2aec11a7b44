"""Probes of load balancers in HTTP/1.0, with and without a host, through nginx and beside it."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from stack import nginx
from stack.addresses import Addresses
from stack.processes import LOOPBACK

from servicekit.testing.ports import free_port

THROUGH_NGINX = [b"/api/health", b"/devoluciones/api/health", b"/devoluciones", b"/"]
NO_HOST = {
    "HAProxy": b"OPTIONS %s HTTP/1.0\r\n\r\n",
    "HAProxy with GET": b"GET %s HTTP/1.0\r\n\r\n",
    "HEAD": b"HEAD %s HTTP/1.0\r\n\r\n",
    "Nagios": b"GET %s HTTP/1.0\r\nUser-Agent: check_http\r\nConnection: close\r\n\r\n",
    "absolute form": b"GET http://elsewhere.example:99%s HTTP/1.0\r\n\r\n",
    "keep-alive": b"GET %s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
}
WITH_HOST = {
    "HTTP/1.0": b"GET %s HTTP/1.0\r\nHost: x\r\n\r\n",
    "HTTP/1.1": b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "an empty line before it": b"\r\nGET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
}


def say(port: int, sent: bytes) -> tuple[int, bytes]:
    """Send bytes on a connection of their own; return the status and the body of the answer."""
    with socket.create_connection((LOOPBACK, port), timeout=20) as wire:
        wire.sendall(sent)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += (part := wire.recv(65536))
            assert part, answer
        head, _, body = answer.partition(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        length = int(lengths[0].split(b":")[1]) if lengths and not sent.startswith(b"HEAD") else 0
        while len(body) < length and (part := wire.recv(65536)):
            body += part
    return int(head.split()[1]), body


def expected_status(sent: bytes, path: bytes) -> int:
    """Return the status of a request that is understood."""
    if sent.startswith(b"OPTIONS"):
        return 308 if path == b"/devoluciones" else 405
    return 308 if path == b"/devoluciones" else 200


@pytest.mark.parametrize("path", THROUGH_NGINX)
@pytest.mark.parametrize("sent", [*NO_HOST.values(), *WITH_HOST.values()], ids=[*NO_HOST, *WITH_HOST])
def test_a_probe_is_answered_through_nginx_with_and_without_a_host(
    addresses: Addresses, sent: bytes, path: bytes
) -> None:
    status, body = say(addresses.origin, sent % path)
    assert status == expected_status(sent, path), body


@pytest.mark.parametrize("sent", [*NO_HOST.values(), *WITH_HOST.values()], ids=[*NO_HOST, *WITH_HOST])
def test_a_probe_is_answered_by_the_services_themselves(own_ports: Addresses, sent: bytes) -> None:
    for port in (own_ports.gateway, own_ports.returns, own_ports.returns_origin):
        status, body = say(port, sent % b"/api/health")
        assert status == expected_status(sent, b"/api/health"), (port, body)


@pytest.mark.parametrize("path", [b"/api/health", b"/devoluciones/api/health", b"/"])
@pytest.mark.parametrize("line", [b"GET %s HTTP/1.1", b"GET http://elsewhere.example%s HTTP/1.1"])
def test_http_1_1_without_a_host_is_400(addresses: Addresses, path: bytes, line: bytes) -> None:
    status, body = say(addresses.origin, line % path + b"\r\n\r\n")
    assert (status, json.loads(body)["code"]) == (400, "bad_request")


@pytest.mark.parametrize(
    "line", [b"GET /api/health HTTP/1.1", b"GET http://elsewhere.example/api/health HTTP/1.1"]
)
def test_http_1_1_without_a_host_is_400_at_the_services(own_ports: Addresses, line: bytes) -> None:
    for port in (own_ports.gateway, own_ports.returns):
        status, body = say(port, line + b"\r\n\r\n")
        assert (status, json.loads(body)["code"]) == (400, "bad_request")


@pytest.mark.parametrize("version", [b"1.0", b"1.1"])
def test_an_empty_host_is_refused_by_nginx_and_accepted_by_the_services(
    own_ports: Addresses, version: bytes
) -> None:
    sent = b"GET /api/health HTTP/" + version + b"\r\nHost:\r\nConnection: close\r\n\r\n"
    assert say(own_ports.origin, sent)[0] == 400, "nginx has no setting for it"
    for port in (own_ports.gateway, own_ports.returns):
        assert say(port, sent)[0] == 200


@pytest.fixture
def several(own_ports: Addresses, tmp_path: Path) -> Iterator[int]:
    """The origin of several companies before one company's nginx."""
    outer, inner = free_port(), free_port()
    folders = [tmp_path / "outer", tmp_path / "inner"]
    for folder in folders:
        folder.mkdir()
    company = nginx.origin(
        folders[1], port=inner, erp_gateway=own_ports.gateway, supplier_returns=own_ports.returns,
        is_one_of_several=True,
    )  # fmt: skip
    with company, nginx.companies(folders[0], port=outer, by_name={"norte": inner}) as child:
        child.wait_until_it_answers(outer, "/norte/api/health")
        yield outer


def test_a_probe_of_one_of_several_companies_needs_no_host_header(several: int) -> None:
    for path in (b"/norte/api/health", b"/norte/devoluciones/api/health"):
        for sent in NO_HOST.values():
            status, body = say(several, sent % path)
            assert status == expected_status(sent, path), (sent, body)
    assert say(several, b"GET /norte/api/health HTTP/1.1\r\n\r\n")[0] == 400

"""A second place of a service: what nginx hands on to it, and that nothing is ever sent twice."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from stack import nginx
from stack.exchange import Answer, exchange
from stack.place import OK, place
from stack.processes import LOOPBACK

from servicekit.testing.ports import free_port

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
REFUSED = (
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/problem+json\r\nContent-Length: 27\r\n"
    b'Connection: close\r\n\r\n{"code": "outcome_unknown"}'
)
BODY = {"CardCode": "C00001", "Comments": "x" * 20_000}
LARGE = {"CardCode": "C00001", "Comments": "x" * 900_000}
"""A body that goes on as it comes, and not only when it is whole."""
PATHS = ("/api/sl/Orders", "/devoluciones/api/planificaciones")


@contextmanager
def in_front(folder: Path, first: int, other: int | None) -> Iterator[int]:
    """Run nginx before a first and a second place of both services; yield its port."""
    port = free_port()
    child = nginx.origin(
        folder,
        port=port,
        erp_gateway=first,
        supplier_returns=first,
        erp_gateway_other=other,
        supplier_returns_other=other,
    )
    with child:
        child.wait_until_it_answers(port, "/")
        yield port


def unreachable(answer: Answer) -> bool:
    """Return whether the answer is nginx's own refusal, with its problem document."""
    return answer.status == 502 and answer.code == "service_unreachable"


def test_a_refused_connection_falls_back_to_the_second_server(tmp_path: Path) -> None:
    with ExitStack() as stack:
        second = stack.enter_context(place(OK))
        port = stack.enter_context(in_front(tmp_path, free_port(), second.port))
        for path in PATHS:
            for method in METHODS:
                for body in (None,) if method == "GET" else (BODY, LARGE):
                    answer = exchange(port, method, f"{path}?a=%2F", body)
                    assert (answer.status, answer.content) == (200, b"{}"), (method, path)
                    sent = second.requests.pop()
                    head = f"{method} {path.removeprefix('/devoluciones')}?a=%2F HTTP/1.1\r\n"
                    assert sent.startswith(head.encode())
                    assert body is None or json.dumps(body).encode() in sent
                    assert b"\r\nX-Forwarded-For: 127.0.0.1\r\n" in sent
        assert second.requests == []


def test_an_answering_first_server_is_the_only_one_used(tmp_path: Path) -> None:
    with ExitStack() as stack:
        first, second = stack.enter_context(place(REFUSED)), stack.enter_context(place(OK))
        port = stack.enter_context(in_front(tmp_path, first.port, second.port))
        for path in PATHS:
            for method in METHODS:
                for body in (None, LARGE):
                    answer = exchange(port, method, path, body)
                    assert (answer.status, answer.code) == (502, "outcome_unknown")
        assert len(first.requests) == 2 * len(PATHS) * len(METHODS)
        assert second.requests == []


@pytest.mark.parametrize("method", METHODS)
def test_a_request_to_a_dying_server_is_not_sent_again(tmp_path: Path, method: str) -> None:
    with ExitStack() as stack:
        first, second = stack.enter_context(place(b"")), stack.enter_context(place(OK))
        port = stack.enter_context(in_front(tmp_path, first.port, second.port))
        for path in PATHS:
            assert unreachable(exchange(port, method, path)), path
            assert unreachable(exchange(port, method, path, BODY)), path
            assert unreachable(exchange(port, method, path, LARGE)), path
        assert len(first.requests) == 3 * len(PATHS)
        assert second.requests == []


@pytest.mark.parametrize("has_second", [True, False])
def test_without_a_listening_server_every_request_answers_502(tmp_path: Path, *, has_second: bool) -> None:
    with in_front(tmp_path, free_port(), free_port() if has_second else None) as port:
        for path in PATHS:
            assert unreachable(exchange(port, "POST", path, BODY)), path
            assert unreachable(exchange(port, "POST", path, LARGE)), path
            assert exchange(port, "GET", f"{path}/{'x' * 20_000}").status == 414


def test_an_unresolvable_server_name_falls_back_to_the_second_server(tmp_path: Path) -> None:
    with place(OK) as second:
        child = nginx.origin(
            tmp_path, port=(port := free_port()), erp_gateway=1, erp_gateway_other=second.port
        )
        site = tmp_path / "site.conf"
        text = site.read_text("utf-8").replace("http://127.0.0.1:1;", "http://gone.invalid:3000;")
        site.write_text(f"{text}resolver 127.0.0.1:{free_port()};\nresolver_timeout 1s;\n", encoding="utf-8")
        with child:
            child.wait_until_it_answers(port, "/")
            assert exchange(port, "POST", PATHS[0], BODY).status == 200
            assert exchange(port, "POST", PATHS[0], LARGE).status == 200
        assert len(second.requests) == 2


@contextmanager
def deaf() -> Iterator[int]:
    """Yield a port on which a connection is neither taken nor refused, as at an address that is gone."""
    with socket.create_server((LOOPBACK, 0), backlog=0) as listening, ExitStack() as stack:
        port: int = listening.getsockname()[1]
        while True:  # until its queue is full
            waiting = stack.enter_context(socket.socket())
            waiting.settimeout(0.5)
            try:
                waiting.connect((LOOPBACK, port))
            except TimeoutError:
                break
        yield port


@pytest.mark.parametrize("body", [BODY, LARGE], ids=["small", "large"])
def test_during_a_handover_the_first_server_is_tried_once_more(tmp_path: Path, body: dict[str, str]) -> None:
    first = free_port()
    answers: list[Answer] = []
    with deaf() as gone, in_front(tmp_path, first, gone) as port:
        asking = threading.Thread(target=lambda: answers.append(exchange(port, "POST", PATHS[0], body)))
        asking.start()
        time.sleep(1)  # the first has refused it, and nobody takes it at the second
        with place(OK, first) as started:
            asking.join(timeout=60)
            assert [answer.status for answer in answers] == [200]
            assert len(started.requests) == 1

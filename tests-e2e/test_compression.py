"""nginx compresses responses and changes nothing else about them."""

import gzip
import http.client
from collections.abc import Callable
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from stack import nginx
from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import Answer, exchange
from stack.place import place

from servicekit.testing.ports import free_port

Ask = Callable[..., Answer]
GZIP = {"Accept-Encoding": "gzip"}
ROWS = b"0001;texto;1.000,50\r\n" * 200
CSV = b"HTTP/1.1 200 OK\r\nContent-Type: text/csv; charset=utf-8\r\nConnection: close\r\n"


def is_compressed(answer: Answer) -> bool:
    """Return whether the body is compressed."""
    return answer.headers["Content-Encoding"] == "gzip"


def unpacked(answer: Answer) -> bytes:
    """Return the body as the service sent it."""
    return gzip.decompress(answer.content) if is_compressed(answer) else answer.content


@pytest.mark.parametrize(
    "path",
    [
        "/api/sl/Orders",
        "/api/sl/Orders?$top=20&$skip=5",
        "/api/sl",
        "/api/fields/Orders",
        "/api/sl/Orders?$top=50&formato=csv",
    ],
)
def test_compressed_records_are_identical_to_plain_ones(ask: Ask, administrator: str, path: str) -> None:
    compressed = ask("GET", path, token=administrator, headers=GZIP)
    plain = ask("GET", path, token=administrator)
    assert (compressed.status, plain.status) == (200, 200)
    assert is_compressed(compressed)
    assert not is_compressed(plain)
    assert compressed.headers["Vary"] == "Accept-Encoding"
    assert len(compressed.content) < len(plain.content) / 2
    assert unpacked(compressed) == plain.content


@pytest.mark.parametrize("path", ["/api/auth/me", "/api/%61uth/me", "/api/sessions", "/api/./auth/me"])
def test_responses_about_a_session_are_never_compressed(ask: Ask, administrator: str, path: str) -> None:
    assert not is_compressed(ask("GET", path, token=administrator, headers=GZIP))


@pytest.mark.parametrize(
    "path", ["/api/auth/login", "/api/%61uth/login", "/api//auth/login", "/api/sl/../auth/login"]
)
def test_a_sign_in_to_the_gateway_is_never_compressed(ask: Ask, path: str) -> None:
    body = {"username": "ana" + "x" * 600, "password": "x" * 600}
    answer = ask("POST", path, body, headers=GZIP)
    assert not is_compressed(answer)


@pytest.mark.parametrize("prefix", ["/devoluciones/api", "/devoluciones/%61pi", "/%64evoluciones/api"])
def test_a_sign_in_to_returns_is_never_compressed(ask: Ask, prefix: str) -> None:
    body = {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD}
    assert not is_compressed(ask("POST", f"{prefix}/auth/login", body, headers=GZIP))


def test_plannings_are_compressed_and_session_responses_are_not(ask: Ask) -> None:
    signed_in = ask(
        "POST",
        "/devoluciones/api/auth/login",
        {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD},
        headers=GZIP,
    )
    [morsel] = SimpleCookie(signed_in.headers["Set-Cookie"]).values()
    cookie = {"Cookie": f"{morsel.key}={morsel.value}"}
    assert not is_compressed(ask("GET", "/devoluciones/api/auth/me", headers={**cookie, **GZIP}))
    assert is_compressed(ask("GET", "/devoluciones/api/catalogos", headers={**cookie, **GZIP}))


def test_a_tag_of_a_compressed_record_still_decides_a_change(
    ask: Ask, administrator: str, make_order: Callable[[], dict[str, object]]
) -> None:
    number = ask("POST", "/api/sl/Orders", make_order(), token=administrator).body["DocEntry"]
    path = f"/api/sl/Orders/{number}"
    read = ask("GET", path, token=administrator, headers=GZIP)
    assert is_compressed(read)
    tag = read.headers["ETag"]
    assert tag == ask("GET", path, token=administrator).headers["ETag"]

    def change(text: str) -> Answer:
        return ask("PATCH", path, {"Comments": text}, token=administrator, headers={"If-Match": tag, **GZIP})

    assert change("uno").status == 204
    assert (change("dos").status, unpacked(change("dos"))[:1]) == (412, b"{")


@pytest.mark.parametrize(
    "head",
    [
        b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % (2 * len(ROWS)),
        b"Content-Length: %d\r\n\r\n" % (2 * len(ROWS)),
    ],
)
@pytest.mark.parametrize(
    "path", ["/api/sl/Orders?formato=csv", "/devoluciones/api/planificaciones/7/faltantes"]
)
def test_an_interrupted_export_is_visibly_incomplete(tmp_path: Path, head: bytes, path: str) -> None:
    with place(CSV + head + ROWS) as service:
        port = free_port()
        with nginx.origin(
            tmp_path, port=port, erp_gateway=service.port, supplier_returns=service.port
        ) as child:
            child.wait_until_it_answers(port, "/")
            for headers in ({}, GZIP):
                with pytest.raises(http.client.IncompleteRead):
                    exchange(port, "GET", path, headers=headers)


@pytest.mark.parametrize(
    ("kind", "compressed"),
    [
        ("application/json", True),
        ("application/problem+json", True),
        ("text/csv; charset=utf-8", True),
        ("text/html; charset=utf-8", True),
        ("text/event-stream", False),
        ("application/x-ndjson", False),
        ("application/pdf", False),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", False),
    ],
)
def test_only_json_and_text_are_compressed_at_either_place(
    tmp_path: Path, kind: str, compressed: bool
) -> None:
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(ROWS)}\r\nConnection: close\r\n\r\n"
    )
    with place(head.encode() + ROWS) as service:
        for first, other in ((service.port, None), (free_port(), service.port)):
            port = free_port()
            folder = tmp_path / str(port)
            folder.mkdir()
            with nginx.origin(folder, port=port, erp_gateway=first, erp_gateway_other=other) as child:
                child.wait_until_it_answers(port, "/")
                answer = exchange(port, "GET", "/api/sl/Orders", headers=GZIP)
                assert is_compressed(answer) == compressed
                assert unpacked(answer) == ROWS
                assert not is_compressed(exchange(port, "GET", "/api/auth/me", headers=GZIP))

"""nginx as the one origin: what it passes on, what it keeps back, what it answers itself."""

import json
import re
import socket
from collections.abc import Callable
from functools import partial
from http.cookies import SimpleCookie
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
SECURITY = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}


def is_problem(answer: Answer) -> bool:
    """Return whether the body is the problem document of every refusal."""
    body = answer.body
    return (
        answer.headers.get_content_type() == "application/problem+json"
        and body["status"] == answer.status
        and body["detail"] == body["message"] != ""
        and set(body) >= {"type", "title", "code", "requestId"}
    )


def test_health_is_public(ask: Ask) -> None:
    assert ask("GET", "/api/health").status == 200


def test_answers_carry_the_headers_that_browsers_need(ask: Ask) -> None:
    headers = ask("GET", "/api/health").headers
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "/" not in headers["Server"], "a version is told"


def failed_login_addresses(ask: Ask, administrator: str, web_user: str) -> set[str]:
    """Return the client addresses that the audit holds for a user's failed logins."""
    path = f"/api/audit?usuario={web_user}&accion=login_failed"
    return {record["ip"] for record in ask("GET", path, token=administrator).body["items"]}


@pytest.mark.usefixtures("own_ports")  # before containers the engine's own address stands
def test_the_client_address_comes_from_nginx_and_cannot_be_forged(ask: Ask, administrator: str) -> None:
    forged = {"X-Forwarded-For": "6.6.6.6", "Forwarded": "for=6.6.6.6", "X-Real-IP": "6.6.6.6"}
    body = {"username": "forastero", "password": "x"}
    assert ask("POST", "/api/auth/login", body, headers=forged, source="127.0.0.5").status == 401
    assert failed_login_addresses(ask, administrator, "forastero") == {"127.0.0.5"}


def test_only_a_trusted_proxy_may_set_the_client_address(
    own_ports: Addresses, ask: Ask, administrator: str
) -> None:
    direct = partial(exchange, own_ports.gateway)
    forged = {"X-Forwarded-For": "6.6.6.6"}
    body = {"username": "vecino", "password": "x"}
    assert direct("POST", "/api/auth/login", body, headers=forged, source="127.0.0.6").status == 401
    assert failed_login_addresses(ask, administrator, "vecino") == {"127.0.0.6"}


def test_a_body_over_the_service_limit_gets_the_413_of_the_service(ask: Ask, clerk: str) -> None:
    body = b'{"Comments": "' + b"x" * (MIB + MIB // 2) + b'"}'
    answer = ask("POST", "/api/sl/Orders", body, token=clerk)
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert is_problem(answer)


def test_a_body_over_the_nginx_limit_gets_the_same_413(ask: Ask, clerk: str) -> None:
    answer = ask("POST", "/api/sl/Orders", b"x" * 3 * MIB, token=clerk)
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert is_problem(answer)


def test_only_a_pasted_sheet_may_be_large(ask: Ask) -> None:
    body = b'{"texto": "' + b"x" * 3 * MIB + b'"}'
    refused = ask("POST", "/devoluciones/api/planificaciones", body)
    assert (refused.status, refused.code) == (413, "body_too_large")
    assert is_problem(refused)
    pasted = ask("POST", "/devoluciones/api/planificaciones/pegar", body)
    assert pasted.status == 401, "the service has read it, and asks who sends it"


@pytest.mark.parametrize("path", ["/api", "/api/nada", "/api/sl/Nada", "/API/health", "/%61pi/health"])
def test_unknown_paths_answer_404_with_the_standard_body(ask: Ask, clerk: str, path: str) -> None:
    answer = ask("GET", path, token=clerk)
    assert answer.status == 404
    assert is_problem(answer)


def test_a_wrong_method_answers_405_with_the_allowed_methods(ask: Ask, clerk: str) -> None:
    answer = ask("DELETE", "/api/sl/Items/A1", token=clerk)
    assert answer.status == 405
    assert is_problem(answer)
    assert "GET" in answer.headers["Allow"]


def test_a_very_long_address_is_refused_with_the_standard_body(ask: Ask) -> None:
    answer = ask("GET", f"/api/sl/Items?$filter={'x' * 20_000}")
    assert (answer.status, answer.code) == (414, "uri_too_long")
    assert is_problem(answer)


def test_very_long_headers_are_refused_with_the_standard_body(ask: Ask) -> None:
    answer = ask("GET", "/api/health", headers={"X-Long": "x" * 20_000})
    assert (answer.status, answer.code) == (431, "headers_too_large")
    assert is_problem(answer)


def check_security_headers(answer: Answer) -> None:
    headers = answer.headers
    for name, value in SECURITY.items():
        assert headers.get_all(name) == [value], name
    policies = headers.get_all("Content-Security-Policy", [])
    assert len(policies) == 1
    assert "frame-ancestors 'none'" in policies[0]
    assert headers["Server"] == "nginx", "whose it is, not its version"


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/index.html", "/nada", "/.env", "/devoluciones", "/%64evoluciones/"),
        *("/api/health", "/api/nada", "/devoluciones/api/health", "/devoluciones/nada"),
    ],
)
def test_every_response_of_the_origin_has_the_security_headers(ask: Ask, path: str) -> None:
    check_security_headers(ask("GET", path))


@pytest.mark.parametrize("path", ["/", "/app.js", "/nada"])
def test_a_mounted_web_application_has_the_security_headers(tmp_path: Path, path: str) -> None:
    web = tmp_path / "web"
    web.mkdir()
    (web / "index.html").write_text("<!doctype html><title>app</title>", encoding="utf-8")
    (web / "app.js").write_text("let one = 1", encoding="utf-8")
    port = free_port()
    with nginx.origin(tmp_path, port=port, erp_gateway=free_port()) as child:
        child.wait_until_it_answers(port, "/")
        answer = exchange(port, "GET", path)
    assert answer.status == 200
    check_security_headers(answer)


def say(port: int, sent: bytes) -> tuple[bytes, bytes]:
    """Send bytes on a connection of their own; return head and body of all that comes back."""
    with socket.create_connection((LOOPBACK, port), timeout=20) as wire:
        wire.sendall(sent)
        answer = b""
        while part := wire.recv(65536):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    return head, body


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        # nginx 1.22 takes the preface for a malformed request; later ones may name the version.
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400, 505), ("bad_request", "http_version_unsupported")),
        (
            b"POST /api/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
            (501,),
            ("transfer_encoding_unsupported",),
        ),
        (b"GET /api/x HTTP/1.1\r\n\r\n", (400,), ("bad_request",)),
    ],
    ids=["HTTP/2", "another transfer encoding", "no Host"],
)
def test_malformed_http_is_refused_with_the_standard_body(
    addresses: Addresses, sent: bytes, status: tuple[int, ...], code: tuple[str, ...]
) -> None:
    head, body = say(addresses.origin, sent)
    assert int(head.split()[1]) in status
    assert json.loads(body)["code"] in code


@pytest.mark.parametrize("path", [b"/api/health", b"/devoluciones/api/health"])
@pytest.mark.parametrize("authority", [b"", b"http://elsewhere.example:443"])
@pytest.mark.parametrize("upgrade", [b"websocket", b"h2c"])
def test_an_upgrade_and_a_target_in_absolute_form_are_ordinary_requests(
    addresses: Addresses, path: bytes, authority: bytes, upgrade: bytes
) -> None:
    lines = (
        *(b"GET " + authority + path + b" HTTP/1.1", b"Host: x", b"Upgrade: " + upgrade),
        *(b"Connection: close, Upgrade", b"", b""),
    )
    head, body = say(addresses.origin, b"\r\n".join(lines))
    assert head.startswith(b"HTTP/1.1 200"), head
    assert json.loads(body)


@pytest.fixture
def returns_alone(own_ports: Addresses) -> Ask:
    """Send a request to the origin that the returns service has of its own."""
    return partial(exchange, own_ports.returns_origin)


def test_returns_are_used_by_the_paths_of_their_contract(own_ports: Addresses, returns_alone: Ask) -> None:
    person = {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD}
    own = {"Origin": f"http://{LOOPBACK}:{own_ports.returns_origin}"}
    login = returns_alone("POST", "/api/auth/login", person, headers=own)
    assert login.status == 200, login.content
    cookie = SimpleCookie(login.headers["Set-Cookie"])["dp_sid"]
    assert cookie["path"] == "/"
    headers = {**own, "Cookie": f"dp_sid={cookie.value}"}
    pasted = returns_alone("POST", "/api/planificaciones/pegar", {"texto": "x" * 80_000}, headers=headers)
    assert pasted.status == 400
    assert [each["path"] for each in pasted.body["errors"]] == ["whsCode"], "the service has read all of it"
    assert returns_alone("POST", "/api/auth/logout", headers=headers).status == 204
    assert returns_alone("GET", "/api/auth/me", headers=headers).status == 401


def test_of_two_cookies_the_first_with_a_live_session_is_used(ask: Ask, returns_alone: Ask) -> None:
    cookies = []
    for origin, prefix in ((ask, "/devoluciones"), (returns_alone, "")):
        person = {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD}
        login = origin("POST", f"{prefix}/api/auth/login", person)
        cookies.append(SimpleCookie(login.headers["Set-Cookie"])["dp_sid"].value)
    both = {"Cookie": "; ".join(f"dp_sid={each}" for each in cookies)}
    assert ask("POST", "/devoluciones/api/auth/logout", headers=both).status == 204
    for origin, prefix in ((ask, "/devoluciones"), (returns_alone, "")):
        assert origin("GET", f"{prefix}/api/auth/me", headers=both).status == 200
    assert returns_alone("POST", "/api/auth/logout", headers=both).status == 204
    assert ask("GET", "/devoluciones/api/auth/me", headers=both).status == 401


def test_the_origin_of_the_returns_service_has_the_same_limits_and_headers(returns_alone: Ask) -> None:
    for path in ("/", "/api/health", "/api/nada", "/nada"):
        check_security_headers(returns_alone("GET", path))
    refused = returns_alone("POST", "/api/planificaciones", b"x" * 3 * MIB)
    assert (refused.status, refused.code) == (413, "body_too_large")
    assert is_problem(refused)
    pasted = returns_alone("POST", "/api/planificaciones/pegar", b'{"texto": "' + b"x" * 3 * MIB + b'"}')
    assert pasted.status == 401
    too_long = returns_alone("GET", f"/api/{'x' * 20_000}")
    assert (too_long.status, too_long.code) == (414, "uri_too_long")
    assert is_problem(too_long)


def test_landing_page_names_both_services(ask: Ask) -> None:
    page = ask("GET", "/")
    assert page.status == 200
    assert b"/api/docs" in page.content
    assert b"/devoluciones/" in page.content
    for link in re.findall(r'href="([^"]+)"', page.content.decode()):
        assert ask("GET", f"/{link}").status == 200, link


@pytest.mark.parametrize(
    "path", ["/metrics", "/api/metrics", "/api/../metrics", "/.env", "/index.php", "/__place", "/__large"]
)
def test_internal_and_unknown_paths_are_not_served(ask: Ask, path: str) -> None:
    answer = ask("GET", path)
    assert answer.status in {401, 404}
    assert is_problem(answer)


def test_an_unreachable_service_answers_502_with_the_standard_body(tmp_path: Path) -> None:
    port = free_port()
    with nginx.origin(tmp_path, port=port, erp_gateway=free_port()) as child:
        child.wait_until_it_answers(port, "/")
        answer = exchange(
            port, "GET", "/devoluciones/api/planificaciones", headers={"X-Request-ID": "e2e-away"}
        )
    assert (answer.status, answer.code) == (502, "service_unreachable")
    assert is_problem(answer)
    assert answer.body["requestId"] == answer.headers["X-Request-ID"] == "e2e-away"


def test_a_prefix_without_slash_redirects_to_the_slash(ask: Ask) -> None:
    answer = ask("GET", "/devoluciones")
    assert (answer.status, answer.headers["Location"]) == (308, "/devoluciones/")


def test_metrics_have_a_port_of_their_own(own_ports: Addresses) -> None:
    answer = exchange(own_ports.metrics, "GET", "/metrics")
    assert answer.status == 200
    assert b"http_requests" in answer.content

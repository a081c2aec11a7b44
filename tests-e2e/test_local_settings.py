"""nginx settings of an installation, in files of their own: certificate, redirect, a proxy in front."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from stack.exchange import exchange
from stack.nginx import CONSOLE, origin
from stack.processes import LOOPBACK

from erpsim.company.clock import SystemClock
from erpsim.process.certificates import self_signed
from servicekit.testing.ports import free_port

HSTS = "Strict-Transport-Security"
ASSET = f"/consola/assets/{next((CONSOLE / 'assets').glob('start-*.js')).name}"


@contextmanager
def nginx(folder: Path, local: str) -> Iterator[int]:
    """Run nginx with local settings and without services; yield its port."""
    port = free_port()
    child = origin(folder, port=port, erp_gateway=free_port())
    (folder / "local").mkdir()
    (folder / "local" / "own.conf").write_text(local, encoding="utf-8")
    with child:
        child.wait_until_it_answers(port, "/")
        yield port


@pytest.fixture(scope="module")
def tls_ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int, int, ssl.SSLContext]]:
    """Run nginx as docs/install.md has it end TLS; yield its ports and a client's trust."""
    folder = tmp_path_factory.mktemp("nginx")
    made = self_signed("localhost", SystemClock())
    for name, content in (("fullchain.pem", made.certificate_pem), ("key.pem", made.key_pem)):
        (folder / name).write_bytes(content)
    https, redirecting = free_port(), free_port()
    local = f"""
listen {LOOPBACK}:{https} ssl;
ssl_certificate {folder}/fullchain.pem;
ssl_certificate_key {folder}/key.pem;
listen {LOOPBACK}:{redirecting};
if ($server_port = {redirecting}) {{ return 308 https://$host$request_uri; }}
"""
    trust = ssl.create_default_context(cadata=made.certificate_pem.decode())
    with nginx(folder, local) as port:
        yield port, https, redirecting, trust


@pytest.mark.parametrize("path", ["/consola/", "/consola/hoja.html", "/", "/consola/hoja.js", ASSET])
def test_over_https_responses_carry_hsts(tls_ports: tuple[int, int, int, ssl.SSLContext], path: str) -> None:
    plain, https, _, trust = tls_ports
    answer = exchange(https, "GET", path, tls=trust)
    assert answer.headers[HSTS] == "max-age=31536000", answer.status
    assert HSTS not in exchange(plain, "GET", path).headers


@pytest.mark.parametrize("path", ["/", "/consola/?a=b", "/api/sl/Items('A%2F1')?%24top=1"])
def test_the_http_port_only_redirects(tls_ports: tuple[int, int, int, ssl.SSLContext], path: str) -> None:
    answer = exchange(tls_ports[2], "GET", path)
    assert answer.status == 308
    assert answer.headers["Location"] == f"https://{LOOPBACK}{path}"


def test_behind_an_https_proxy_pages_carry_hsts(tmp_path: Path) -> None:
    with nginx(tmp_path, "set $forwarded_proto https;\n") as port:
        assert exchange(port, "GET", "/consola/").headers[HSTS] == "max-age=31536000"

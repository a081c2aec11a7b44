"""Steps about HTTPS: to users, between nginx and supplier-returns, to the ERP; and renewal."""

import ssl
import time
from collections.abc import Callable

from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import exchange

from tools.images_check.authority import serial_shown
from tools.images_check.runbook import Runbook, StepFailed, asking, demand

TAKEN_UP_WITHIN_S = 60.0


def tls_to_the_end(book: Runbook) -> None:
    """HTTPS by a private authority to nginx, from it to returns, and from both services to the ERP."""
    trusting = book.site.authority.trusting()
    body = {"username": "ana", "password": "ana-demo"}
    login = exchange(book.site.origin_tls, "POST", "/api/auth/login", body, tls=trusting)
    demand(holds=login.status == 200, what=f"ana over HTTPS: {login.status} {login.content[:200]!r}")
    returns = {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD}
    for port, path in (
        (book.site.origin_tls, "/devoluciones/api/auth/login"),
        (book.site.returns_port, "/api/auth/login"),
    ):
        entered = exchange(port, "POST", path, returns, tls=trusting)
        demand(holds=entered.status == 200, what=f"{path}: {entered.status} {entered.content[:200]!r}")
    demand(holds=not _speaks_plainly(book.site.erpsim_port), what="the ERP answers without TLS")
    try:
        exchange(book.site.origin_tls, "GET", "/api/health", tls=ssl.create_default_context())
    except ssl.SSLCertVerificationError:
        return
    raise StepFailed("a client that does not know the authority trusts the certificate")


def renew_certificates(book: Runbook) -> None:
    """nginx (with a reload) and returns (by itself) show new certificates; no restart, no failure."""
    site = book.site
    names = ("localhost", "127.0.0.1")
    before = {service: book.started_at(service) for service in ("nginx", "supplier-returns")}
    with asking(book) as failures:
        issued = site.authority.issue(site.nginx, *names)
        book.compose("kill", "--signal", "HUP", "nginx")
        _told("nginx", _until(lambda: serial_shown(site.origin_tls) == issued))
        issued = site.authority.issue(site.returns, "supplier-returns", *names)
        _told("supplier-returns", _until(lambda: serial_shown(site.returns_port) == issued))
    demand(holds=not failures, what=f"failed meanwhile: {failures[:3]}")
    after = {service: book.started_at(service) for service in before}
    demand(holds=before == after, what=f"restarted: {before} {after}")
    tls_to_the_end(book)


def _told(service: str, took_s: float) -> None:
    print(f"     {service}: the new certificate after {took_s:.1f} s", flush=True)


def _until(holds: Callable[[], bool]) -> float:
    begun = time.monotonic()
    while not holds():
        if time.monotonic() - begun > TAKEN_UP_WITHIN_S:
            raise StepFailed(f"the old certificate is shown after {TAKEN_UP_WITHIN_S:g} s")
        time.sleep(0.2)
    return time.monotonic() - begun


def _speaks_plainly(port: int) -> bool:
    try:
        return exchange(port, "GET", "/ping/", timeout_s=5).status == 200
    except OSError:
        return False

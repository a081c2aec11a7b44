"""The origin's certificate through a real nginx, and a terminator of TLS in front of it."""

import argparse
import asyncio
import io
import json
import os
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from stack import nginx
from stack.addresses import Addresses
from stack.exchange import exchange
from stack.processes import LOOPBACK
from stack.stack import service_layer

from erp_gateway.commands import doctor as gateways
from erp_gateway.commands import parser as gateways_arguments
from erpsim.process.certificates import self_signed
from servicekit.clock import SystemClock
from servicekit.testing.ports import free_port
from supplier_returns.doctor import command as returns


@dataclass(frozen=True)
class Front:
    """A running nginx in front of the services, with TLS or without."""

    folder: Path
    port: int


@contextmanager
def front(folder: Path, ports: Addresses, *, tls: bool = False, site: str = "") -> Iterator[Front]:
    """Run nginx in front of the services of the stack, with lines added to `site.conf`."""
    port = free_port()
    child = nginx.origin(folder, port=port, erp_gateway=ports.gateway, supplier_returns=ports.returns)
    text = (folder / "site.conf").read_text("utf-8") + site
    if tls:
        certificate = self_signed("origin", SystemClock())
        (folder / "ca.pem").write_bytes(certificate.certificate_pem)
        (folder / "key.pem").write_bytes(certificate.key_pem)
        text = text.replace(f":{port};", f":{port} ssl; ssl_certificate ca.pem; ssl_certificate_key key.pem;")
    (folder / "site.conf").write_text(text, "utf-8")
    with child:
        child.wait_until_it_answers(port, "/")
        yield Front(folder, port)


def gateways_doctor(ports: Addresses, folder: Path, *arguments: str) -> dict[str, str | None]:
    environ = {
        "ERP_SL_URL": service_layer(ports),
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD": "erpsim",
        "SQLITE_PATH": str(folder / "app.sqlite"),
    }
    return examine(gateways_arguments.add_doctor_arguments, gateways.run_doctor, environ, arguments)


def returns_doctor(ports: Addresses, _folder: Path, *arguments: str) -> dict[str, str | None]:
    environ = {"SL_URL": service_layer(ports), "SL_COMPANY_DB": "SBO_DEMO", "DB_TYPE": "HANA"}
    return examine(returns.add_doctor_arguments, returns.run_doctor, environ, arguments)


def examine(
    add: Callable[[argparse.ArgumentParser], None],
    read_installed: Callable[..., Coroutine[Any, Any, int]],
    environ: dict[str, str],
    arguments: Sequence[str],
) -> dict[str, str | None]:
    """Run a doctor as its command line does, and return the causes of the origin's checks that are not ok."""
    parser = argparse.ArgumentParser()
    add(parser)
    out, err = io.StringIO(), io.StringIO()
    parsed = parser.parse_args(["--json", "--only", "origin", *arguments])
    settings = {"CONFIG_FILE": os.devnull, "ENVIRONMENT": "test", **environ}
    asyncio.run(read_installed(parsed, settings, clock=SystemClock(), out=out, err=err))
    checks = json.loads(out.getvalue())["checks"]
    return {
        each["name"]: each["cause"]
        for each in checks
        if each["group"] == "origin" and each["outcome"] in ("warn", "fail")
    }


@pytest.mark.parametrize("doctor", [gateways_doctor, returns_doctor])
def test_the_certificate_of_the_origin_is_checked(
    own_ports: Addresses, tmp_path: Path, doctor: Callable[..., dict[str, str | None]]
) -> None:
    with front(tmp_path, own_ports, tls=True) as origin:
        url = f"https://{LOOPBACK}:{origin.port}/devoluciones"
        trusted = doctor(
            own_ports, tmp_path, "--origin", url, "--origin-ca-file", str(origin.folder / "ca.pem")
        )
        unknown = doctor(own_ports, tmp_path, "--origin", url)
    assert trusted == {}
    assert unknown == {"origin.tls": "certificate_authority_unknown"}


@pytest.mark.parametrize(("site", "status"), [("set $forwarded_proto https;\n", 400), ("", 403)])
def test_behind_a_configured_tls_proxy_a_browser_write_is_same_origin(
    own_ports: Addresses, tmp_path: Path, site: str, status: int
) -> None:
    with front(tmp_path, own_ports, site=site) as origin:
        answer = exchange(
            origin.port,
            "POST",
            "/devoluciones/api/auth/login",
            {},
            headers={"Origin": f"https://{LOOPBACK}:{origin.port}"},
        )
    assert answer.status == status, answer

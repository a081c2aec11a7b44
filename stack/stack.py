"""Simulated ERP with its HANA, both services and nginx as real processes on loopback; last in, first out."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack import nginx
from stack.addresses import Addresses
from stack.company import COMPANY, ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.modules import module_settings
from stack.processes import LOOPBACK, Child, clean_environment

_VERSIONS = {"v1": "v1", "v2": "v2"}
PROGRAMS = Path(sys.executable).parent
GRANTED_QUERIES = ",".join(
    f"{WAREHOUSE_USER}:{code}" for code in ("DP_Stock", "DP_EntradasAbiertas", "DP_Lotes", "DP_Series")
)


@dataclass(frozen=True, kw_only=True)
class LocalStack:
    """The running processes and their addresses."""

    addresses: Addresses
    erpsim: Child
    gateway: Child
    returns: Child
    nginx: Child


def service_layer(addresses: Addresses) -> str:
    """Return the URL of the Service Layer: v2, or the version in TOUR_VERSION.

    Raises:
        KeyError: it names another one.
    """
    return f"http://{LOOPBACK}:{addresses.erpsim}/b1s/{_VERSIONS[os.environ.get('TOUR_VERSION') or 'v2']}"


def erpsim_process(
    folder: Path,
    addresses: Addresses,
    *,
    penalty_s: float,
    seed: str = "full",
    further: Sequence[str] = (),
) -> Child:
    """Return the simulated ERP with its report gateway, tax-document service and HANA, not yet started.

    Args:
        folder: for its log.
        addresses: its ports; the other servers run if they have one.
        penalty_s: delay of a parallel call of a session.
        seed: of the company.
        further: further arguments.
    """
    command = [str(PROGRAMS / "erpsim"), "serve", "--port", str(addresses.erpsim)]
    command += ["--control-port", str(addresses.control), "--penalty", str(penalty_s), "--seed", seed]
    command += ["--switch", f"sql_grants={GRANTED_QUERIES}", "--switch", "timezone=America/Santiago"]
    if addresses.report_gateway:
        command += ["--report-gateway-port", str(addresses.report_gateway)]
    if addresses.tax_documents:
        command += ["--tax-documents-port", str(addresses.tax_documents)]
    if addresses.hana:
        command += ["--hana-port", str(addresses.hana)]
    command += further
    return Child("erpsim", command, log=folder / "erpsim.log", environ=clean_environment(), cwd=folder)


def gateway_process(folder: Path, addresses: Addresses, settings: Mapping[str, str]) -> Child:
    """Return the gateway, not yet started; `settings` are added to those of every local stack."""
    environ = {
        "HOST": LOOPBACK,
        "PORT": str(addresses.gateway),
        "METRICS_PORT": str(addresses.metrics),
        "ENVIRONMENT": "development",
        "TRUSTED_PROXIES": f"{LOOPBACK}/32",
        "SQLITE_PATH": str(folder / "app.sqlite"),
        "BACKUP_FOLDER": str(folder / "backups"),
        "DOCTOR_REPORT": str(folder / "doctor.json"),
        "ERP_SL_URL": service_layer(addresses),
        "ERP_SL_COMPANY_DB": COMPANY,
        "ERP_SL_USER": ERP_USER,
        "ERP_SL_PASSWORD": ERP_PASSWORD,
        **settings,
    }
    return Child(
        "erp-gateway",
        [str(PROGRAMS / "erp-gateway"), "serve"],
        log=folder / "erp-gateway.log",
        environ=clean_environment(**environ),
        cwd=folder,
        grace_s=15.0,
    )


def returns_process(folder: Path, addresses: Addresses, settings: Mapping[str, str]) -> Child:
    """Return supplier-returns, not yet started; `settings` are added to those of every local stack."""
    environ = {
        "HOST": LOOPBACK,
        "PORT": str(addresses.returns),
        "METRICS_PORT": str(addresses.returns_metrics) if addresses.returns_metrics else "",
        "ENVIRONMENT": "development",
        "TRUSTED_PROXIES": f"{LOOPBACK}/32",
        "SL_URL": service_layer(addresses),
        "SL_COMPANY_DB": COMPANY,
        "DB_TYPE": "HANA",
        **settings,
    }
    return Child(
        "supplier-returns",
        [str(PROGRAMS / "supplier-returns"), "serve"],
        log=folder / "supplier-returns.log",
        environ=clean_environment(**environ),
        cwd=folder,
        grace_s=15.0,
    )


@contextmanager
def local_stack(
    folder: Path,
    *,
    addresses: Addresses,
    penalty_s: float = 0.0,
    gateway_settings: Mapping[str, str] | None = None,
    returns_settings: Mapping[str, str] | None = None,
) -> Iterator[LocalStack]:
    """Run all processes; stop them on exit in reverse order.

    Args:
        folder: an existing folder for logs, the gateway's store and nginx's files.
        addresses: see `any_addresses`.
        penalty_s: delay of a parallel call of one session in the simulated ERP.
        gateway_settings: additional settings of the gateway.
        returns_settings: additional settings of supplier-returns.

    Raises:
        ChildFailedError: one of them did not start; the text contains the end of its log.
    """
    in_front = folder / "nginx"
    in_front.mkdir(exist_ok=True)
    with ExitStack() as running:
        erpsim = running.enter_context(erpsim_process(folder, addresses, penalty_s=penalty_s))
        settings = {**module_settings(addresses), **(gateway_settings or {})}
        gateway = running.enter_context(gateway_process(folder, addresses, settings))
        returns = running.enter_context(returns_process(folder, addresses, returns_settings or {}))
        origin = running.enter_context(
            nginx.origin(
                in_front,
                port=addresses.origin,
                erp_gateway=addresses.gateway,
                supplier_returns=addresses.returns,
                returns_origin=addresses.returns_origin,
            )
        )
        erpsim.wait_until_it_answers(addresses.erpsim, "/ping/", timeout_s=60)
        gateway.wait_until_it_answers(addresses.gateway, "/api/health")
        returns.wait_until_it_answers(addresses.returns, "/api/health")
        origin.wait_until_it_answers(addresses.origin, "/")
        yield LocalStack(addresses=addresses, erpsim=erpsim, gateway=gateway, returns=returns, nginx=origin)

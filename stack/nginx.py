"""Debian's nginx with the very configuration of the containers, in front of local processes."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from stack.processes import LOOPBACK, Child

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"
CONSOLE = DEPLOY / "console" / ("" if os.environ.get("CONSOLE") == "modules" else "dist")
"""Folder served as the console: the bundle, or the modules for developers."""
PROGRAM = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin") or "nginx"


def companies(folder: Path, *, port: int, by_name: Mapping[str, int]) -> Child:
    """Return nginx, not yet started, as the one origin of several companies on a loopback port.

    Args:
        folder: an existing, empty folder.
        port: port to bind.
        by_name: ports of the companies' own nginx.
    """
    shutil.copy(DEPLOY / "companies.conf", folder / "nginx.conf")
    lines = [f'"~^/{name}/" http://{LOOPBACK}:{at};\n' for name, at in by_name.items()]
    (folder / "companies.map").write_text("".join(lines), encoding="utf-8")
    (folder / "companies.site.conf").write_text(f"listen {LOOPBACK}:{port};\n", encoding="utf-8")
    return _program(folder)


def origin(
    folder: Path,
    *,
    port: int,
    erp_gateway: int,
    supplier_returns: int | None = None,
    console: bool = True,
    erp_gateway_other: int | None = None,
    supplier_returns_other: int | None = None,
    returns_origin: int | None = None,
    returns_name: str | None = None,
    console_name: str | None = None,
    is_one_of_several: bool = False,
) -> Child:
    """Return nginx, not yet started, as the one origin on a loopback port.

    Args:
        folder: an existing, empty folder for its configuration, temporary files and log.
        port: port to bind.
        erp_gateway: port of the gateway.
        supplier_returns: port of the returns service; without it, nginx answers 502 there.
        console: whether to serve the console.
        erp_gateway_other: port of a second gateway.
        supplier_returns_other: port of a second returns service.
        returns_origin: port of the returns service's own origin.
        returns_name: host name of the returns service's own origin on `port`.
        console_name: host name under which only the console is served.
        is_one_of_several: whether it runs behind `companies`.
    """
    shutil.copy(DEPLOY / "nginx.conf", folder / "nginx.conf")
    nowhere = 9  # the discard port: refused at once
    site = f"""\
listen {LOOPBACK}:{port};
set $erp_gateway http://{LOOPBACK}:{erp_gateway};
set $supplier_returns http://{LOOPBACK}:{supplier_returns or nowhere};
set $web_root {folder / "web"};
set $landing_root {DEPLOY / "landing"};
set $console_root {CONSOLE if console else folder / "no-console"};
"""
    if console_name:
        site += f"set $console_name {console_name};\n"
    (folder / "site.conf").write_text(site, encoding="utf-8")
    others = {"erp_gateway": erp_gateway_other, "supplier_returns": supplier_returns_other}
    second = [f"set ${name}_other http://{LOOPBACK}:{at};\n" for name, at in others.items() if at]
    (folder / "second-places.conf").write_text("".join(second), encoding="utf-8")
    alone = ""
    if returns_origin:
        alone += f"listen {LOOPBACK}:{returns_origin};\n"
        alone += f"if ($server_port = {returns_origin}) {{ set $returns_alone 1; }}\n"
    if returns_name:
        alone += f"if ($host = {returns_name}) {{ set $returns_alone 1; }}\n"
    (folder / "returns-origin.conf").write_text(alone, encoding="utf-8")
    if is_one_of_several:
        company = (DEPLOY / "company.conf").read_text("utf-8").replace("172.31.249.0/24", f"{LOOPBACK}/32")
        (folder / "company.conf").write_text(company, encoding="utf-8")
    return _program(folder)


def _program(folder: Path) -> Child:
    directives = "daemon off; pid nginx.pid;"
    if os.geteuid() == 0:
        directives += " user root;"  # its workers must read a clone that may be in root's home
    command = [PROGRAM, "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf"), "-g", directives]
    return Child("nginx", command, log=folder / "nginx.log")

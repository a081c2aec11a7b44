"""Files of a test installation: authority, certificates, site, secret, database."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from attrs import frozen
from stack.company import ERP_PASSWORD

from erpsim.facts import load_packaged_facts
from erpsim.sql import load_into_sqlite
from erpsim.world import World
from servicekit.testing.ports import free_port
from tools.images_check.authority import Authority

ADMINISTRATORS = "ana,carmen"
_SITE = """\
listen 8080;
listen 8443 ssl;
ssl_certificate     /etc/nginx/tls/certificate.pem;
ssl_certificate_key /etc/nginx/tls/key.pem;
ssl_protocols TLSv1.2 TLSv1.3;
resolver 127.0.0.11 valid=1s ipv6=off;
set $erp_gateway http://erp-gateway:3000;
set $supplier_returns https://supplier-returns:3000;
proxy_ssl_trusted_certificate /etc/nginx/tls/authority.pem;
proxy_ssl_verify on;
proxy_ssl_server_name on;
proxy_ssl_name supplier-returns;
set $web_root /srv/web;
set $landing_root /srv/landing;
set $console_root /srv/console;
"""


@frozen(kw_only=True)
class Installation:
    """Paths and ports of the installation.

    Attributes:
        authority: the private authority, which all clients trust.
        nginx, returns, erpsim: folders with `certificate.pem` and `key.pem`, mounted into the containers.
        secret: file with the ERP's password.
        compose_file: overrides of the shipped compose files.
        origin, origin_tls, returns_origin, returns_port, erpsim_port, control: ports on loopback.
    """

    authority: Authority
    nginx: Path
    returns: Path
    erpsim: Path
    secret: Path
    compose_file: Path
    origin: int
    origin_tls: int
    returns_origin: int
    returns_port: int
    erpsim_port: int
    control: int


def prepare(folder: Path) -> Installation:
    """Write everything into the folder."""
    authority = Authority()
    places = {name: folder / name for name in ("nginx", "returns", "erpsim", "authority", "company")}
    for place in places.values():
        place.mkdir(mode=0o755)
    (places["authority"] / "authority.pem").write_bytes(authority.certificate_pem)
    (places["nginx"] / "authority.pem").write_bytes(authority.certificate_pem)
    authority.issue(places["nginx"], "localhost", "127.0.0.1")
    authority.issue(places["returns"], "supplier-returns", "localhost", "127.0.0.1")
    authority.issue(places["erpsim"], "erpsim")
    with closing(sqlite3.connect(places["company"] / "company.sqlite")) as connection:
        load_into_sqlite(connection, World(load_packaged_facts(), seed="full"))
    (folder / "site.conf").write_text(_SITE, encoding="utf-8")
    made = Installation(
        authority=authority,
        nginx=places["nginx"],
        returns=places["returns"],
        erpsim=places["erpsim"],
        secret=folder / "erp_sl_password",
        compose_file=folder / "compose.check.json",
        origin=free_port(),
        origin_tls=free_port(),
        returns_origin=free_port(),
        returns_port=free_port(),
        erpsim_port=free_port(),
        control=free_port(),
    )
    made.secret.write_text(ERP_PASSWORD, encoding="utf-8")
    made.compose_file.write_text(json.dumps(_on_top(made, folder)), encoding="utf-8")
    return made


def _on_top(made: Installation, folder: Path) -> dict[str, object]:
    """Return the compose file, which is JSON."""
    authority = "/authority/authority.pem"
    trusting = f"{folder}/authority:/authority:ro"
    return {
        "services": {
            "nginx": {
                "ports": [f"127.0.0.1:{made.origin_tls}:8443"],
                "volumes": [f"{folder}/site.conf:/etc/nginx/site.conf:ro", f"{made.nginx}:/etc/nginx/tls:ro"],
            },
            "erp-gateway": {
                "environment": {
                    "ADMIN_WEB_USERS": ADMINISTRATORS,
                    "ERP_SL_CA_FILE": authority,
                    "APIGATEWAY_CA_FILE": authority,
                    "ERPDB_ENGINE": "sqlite",
                    "ERPDB_DATABASE": "/company/company.sqlite",
                },
                "volumes": [trusting, f"{folder}/company:/company:ro"],
            },
            "supplier-returns": {
                "environment": {
                    "SL_CA_FILE": authority,
                    "DTE_CA_FILE": authority,
                    "HTTPS_CERT_PATH": "/tls/certificate.pem",
                    "HTTPS_KEY_PATH": "/tls/key.pem",
                },
                "ports": [f"127.0.0.1:{made.returns_port}:3000"],
                "volumes": [trusting, f"{made.returns}:/tls:ro"],
            },
            "erpsim": {
                "environment": {"ERPSIM_CONTROL_PORT": "50001"},
                "ports": [f"127.0.0.1:{made.erpsim_port}:50000", f"127.0.0.1:{made.control}:50001"],
                "volumes": [f"{made.erpsim}:/certificates"],
            },
        },
        "secrets": {"erp_sl_password": {"file": str(made.secret)}},
    }

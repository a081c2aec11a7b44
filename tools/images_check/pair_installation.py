"""Settings and secrets of a high-availability installation, on top of the shipped compose files."""

import json
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from demo.company import TRACE_FIELD
from stack.company import ERP_PASSWORD

from erpsim.facts import load_packaged_facts
from erpsim.sql import load_into_sqlite
from erpsim.world import World
from servicekit.testing.ports import free_port
from tools.images_check.containers import FILES, OLD, Containers, Place, StepFailed, demand

GATEWAYS = ("erp-gateway", "erp-gateway-standby")
RETURNS = ("supplier-returns", "supplier-returns-backup")
STAND_IN = "erp-images-check-postgres"
"""Tag of Debian's PostgreSQL, built if the official image is not available."""
_STATE = "erp_gateway.health.self_check"


class Pair(Containers):
    """The containers of compose.ha.yaml, with the simulated ERP.

    Args:
        folder: for the files of the installation.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.erpsim_port = free_port()
        control = free_port()
        on_top = folder / "compose.pair.json"
        on_top.write_text(json.dumps(_on_top(folder, self.erpsim_port, control)), encoding="utf-8")
        files = (*FILES, "deploy/compose.ha.yaml", "deploy/compose.ha.dev.yaml", str(on_top))
        super().__init__(
            Place(
                project="erp-images-check-pair",
                files=files,
                subnet="172.31.252.0/24",
                origin=free_port(),
                returns_origin=free_port(),
                control=control,
            )
        )

    def stand_in(self) -> None:
        """Use Debian's PostgreSQL if the image in compose is not available, and print that."""
        wanted = self.base("POSTGRES_IMAGE")
        try:
            self.run("docker", "image", "inspect", wanted)
        except StepFailed:
            try:
                self.run("docker", "pull", wanted)
            except StepFailed:
                context = "tools/images_check/postgres"
                base = f"DEBIAN_IMAGE={self.base('PYTHON_IMAGE')}"
                self.run("docker", "build", "--build-arg", base, "--tag", STAND_IN, context)
                self.environ["POSTGRES_IMAGE"] = STAND_IN
                print(f"     {wanted} can't be had here: Debian's PostgreSQL in its place", flush=True)

    def state(self, gateway: str) -> str:
        """Return a gateway's state: `serving`, `standby`, or empty if it is unhealthy."""
        try:
            return self.compose("exec", "-T", gateway, "python", "-m", _STATE)
        except StepFailed:
            return ""

    def who_serves(self) -> tuple[str, str]:
        """Return the serving and the waiting gateway.

        Raises:
            StepFailed: they are in other states.
        """
        states = {gateway: self.state(gateway) for gateway in GATEWAYS}
        demand(holds=sorted(states.values()) == ["serving", "standby"], what=f"they are {states}")
        first, second = GATEWAYS
        return (first, second) if states[first] == "serving" else (second, first)

    def take_anew(self, service: str, *, tag: str = OLD) -> None:
        """Recreate a service's container and wait until it is healthy."""
        self.compose(
            "up", "--detach", "--no-build", "--no-deps", "--force-recreate", "--wait", service, tag=tag
        )


def _on_top(folder: Path, erpsim_port: int, control: int) -> dict[str, object]:
    """Return the compose file, which is JSON."""
    company = folder / "company"
    company.mkdir(mode=0o755)
    with closing(sqlite3.connect(company / "company.sqlite")) as connection:
        load_into_sqlite(connection, World(load_packaged_facts(), seed="full"))
    password = secrets.token_hex(16)
    files = {
        "erp_sl_password": ERP_PASSWORD,
        "postgres_password": password,
        "store_url": f"postgresql://gateway:{password}@postgres:5432/gateway",
    }
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    gateway = {
        "environment": {
            "ADMIN_WEB_USERS": "ana",
            "ERPDB_ENGINE": "sqlite",
            "ERPDB_DATABASE": "/company/company.sqlite",
            "WRITE_TRACE_FIELD": TRACE_FIELD,
            "WRITE_TRACE_LOOKS": "2,5,15",
        },
        "volumes": [f"{company}:/company:ro"],
    }
    return {
        "services": {
            **dict.fromkeys(GATEWAYS, gateway),
            "erpsim": {
                "environment": {"ERPSIM_CONTROL_PORT": "50001"},
                "ports": [f"127.0.0.1:{erpsim_port}:50000", f"127.0.0.1:{control}:50001"],
            },
        },
        "secrets": {name: {"file": str(folder / name)} for name in files},
    }

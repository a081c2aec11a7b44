"""Step about Prometheus and rsyslog, as in compose.monitoring.yaml."""

import json
import time
from collections.abc import Callable

from stack.exchange import exchange

from servicekit.testing.ports import free_port
from tools.images_check.containers import OLD, Containers, Place, demand
from tools.images_check.runbook import Runbook

FILES = (
    "deploy/compose.yaml",
    "deploy/compose.dev.yaml",
    "deploy/compose.build.yaml",
    "deploy/compose.monitoring.yaml",
)
WATCHED = {"erp-gateway", "supplier-returns"}
PATIENCE_S = 90.0


def monitoring(book: Runbook) -> None:
    """Prometheus scrapes both services and loads the rules; rsyslog stores each container's lines
    unchanged.
    """
    prometheus, syslog, origin = free_port(), free_port(), free_port()
    place = Containers(
        Place(
            project="erp-images-monitoring",
            files=FILES,
            subnet="172.31.247.0/24",
            origin=origin,
            returns_origin=0,
            control=0,
        )
    )
    place.environ |= {"PROMETHEUS_BIND": f"127.0.0.1:{prometheus}", "SYSLOG_BIND": f"127.0.0.1:{syslog}"}
    try:
        book.compose("--profile", "build", "build", "monitoring")
        place.compose("up", "--detach", "--no-build", "--wait", "--wait-timeout", "180", "rsyslog", tag=OLD)
        place.up(tag=OLD)
        _until(lambda: _healthy(prometheus) == WATCHED, "Prometheus does not see both services")
        groups = exchange(prometheus, "GET", "/api/v1/rules").body["data"]["groups"]
        rules = [rule["name"] for group in groups for rule in group["rules"]]
        demand(holds={"BackupOld", "CertificateExpires", "ServiceDown"} <= set(rules), what=f"rules: {rules}")
        place.sign_in("ana")
        _until(lambda: _has_login(place), "rsyslog has no line of the sign-in")
    finally:
        place.compose("down", "--volumes", "--timeout", "5")
    print(f"     {len(rules)} alert rules; the sign-in's line went through rsyslog", flush=True)


def _healthy(port: int) -> set[str]:
    try:
        targets = exchange(port, "GET", "/api/v1/targets").body["data"]["activeTargets"]
    except OSError:
        return set()
    return {each["labels"]["job"] for each in targets if each["health"] == "up"}


def _has_login(place: Containers) -> bool:
    name = f"{place.place.project}-erp-gateway-1"
    text = place.compose("exec", "-T", "rsyslog", "sh", "-c", f"cat /logs/{name}.log || true")
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return any(line.get("route") == "/api/auth/login" for line in lines)


def _until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        demand(holds=time.monotonic() < end, what=what)
        time.sleep(1)

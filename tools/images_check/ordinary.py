"""Steps of ordinary operation: start, work, backup and restore, reload, upgrade, a killed process, stop."""

import json
import time
from http.cookies import SimpleCookie

from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import exchange

from tools.images_check.containers import RETURNS_NAME, Containers
from tools.images_check.runbook import NEW, OLD, OURS, Runbook, StepFailed, asking, demand

GRANTED = ["/ventas/pedidos/*", "/socios"]


def build(book: Runbook) -> None:
    """Build the images under two tags, as two versions."""
    book.compose("build")
    for service in (*OURS, "erpsim"):
        book.run("docker", "tag", f"{service}:{OLD}", f"{service}:{NEW}")


def start(book: Runbook) -> None:
    """Start everything; it becomes healthy and has the right labels."""
    book.up()
    for service in OURS:
        labels = book.container(service)["Config"]["Labels"]
        demand(holds=labels["org.opencontainers.image.version"] == OLD, what=f"{service}: {labels}")


def locked_in(book: Runbook) -> None:
    """No root, only intended paths are writable, no capabilities, limited memory and processes."""
    for service in (*OURS, "nginx"):
        bounded(book, service)
    for service in OURS:
        try:
            book.compose("exec", "-T", service, "python", "-c", "open('/app/x', 'w')")
        except StepFailed:
            continue
        raise StepFailed(f"{service} can write into its image")


def bounded(book: Containers, service: str) -> None:
    """Check that a service's container is not root, read-only, without capabilities, and limited.

    Raises:
        StepFailed: it is not.
    """
    found = book.container(service)
    host, user = found["HostConfig"], found["Config"]["User"]
    demand(holds=user not in ("", "0", "root"), what=f"{service} runs as {user!r}")
    demand(holds=host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"], what=f"{service}: {host}")
    limits = (host["Memory"], host["PidsLimit"], host["NanoCpus"])
    demand(holds=all(limits), what=f"{service} is not bounded: {limits}")
    demand(holds="max-size" in host["LogConfig"]["Config"], what=f"{service}'s log is not bounded")


def main_path(book: Runbook) -> None:
    """Through nginx: people sign in, read and write; the console is served."""
    ana = book.sign_in("ana")
    granted = book.ask("PUT", "/api/permissions/luis", {"paths": GRANTED}, token=ana)
    demand(holds=granted.status == 200, what=f"permissions: {granted.content[:200]!r}")
    luis = book.sign_in("luis")
    query = "/api/sl/BusinessPartners?$select=CardCode&$filter=CardType%20eq%20%27cCustomer%27&$top=1"
    customer = book.ask("GET", query, token=luis).body["value"][0]["CardCode"]
    items = book.ask(
        "GET", "/api/sl/Items?$select=ItemCode&$filter=SalesItem%20eq%20%27tYES%27&$top=1", token=luis
    )
    order = {
        "CardCode": customer,
        "DocDueDate": "2030-12-31",
        "DocumentLines": [{"ItemCode": items.body["value"][0]["ItemCode"], "Quantity": 1}],
    }
    made = book.ask("POST", "/api/sl/Orders", order, token=luis)
    demand(holds=made.status == 201, what=f"an order: {made.status} {made.content[:200]!r}")
    login = book.ask(
        "POST", "/devoluciones/api/auth/login", {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD}
    )
    demand(holds=login.status == 200, what=f"returns: {login.status}")
    cookie = SimpleCookie(login.headers["Set-Cookie"])["dp_sid"].value
    listed = book.ask("GET", "/devoluciones/api/catalogos/almacenes", headers={"Cookie": f"dp_sid={cookie}"})
    demand(holds=listed.status == 200, what=f"warehouses: {listed.status}")
    by_port = exchange(book.place.returns_origin, "GET", "/api/auth/info")
    by_name = book.ask("GET", "/api/auth/info", headers={"Host": RETURNS_NAME})
    for way, info in (("port", by_port), ("name", by_name)):
        demand(
            holds=info.status == 200 and "empresa" in info.body, what=f"by its {way}: {info.content[:200]!r}"
        )
    demand(holds=book.ask("GET", "/consola/").status == 200, what="there is no console")


def backup_and_restore(book: Runbook) -> None:
    """Back up while it serves, delete the store's volume, restore as the service's user: same content."""
    book.ask("PUT", "/api/permissions/luis", {"paths": GRANTED}, token=book.sign_in("ana"))
    before = book.audit_total()
    made = book.compose("exec", "-T", "erp-gateway", "erp-gateway", "backup", "/backups", "--keep", "2")
    backup = made.partition(":")[0]
    book.compose("rm", "--stop", "--force", "erp-gateway")
    book.run("docker", "volume", "rm", f"{book.place.project}_gateway-data")
    book.compose("run", "--rm", "--no-deps", "-T", "erp-gateway", "restore", "--check", backup)
    book.compose("run", "--rm", "--no-deps", "-T", "erp-gateway", "restore", backup)
    book.up()
    verified = book.compose("exec", "-T", "erp-gateway", "erp-gateway", "audit", "verify")
    after = book.audit_total()
    demand(holds=after >= before, what=f"{before} audit records became {after}")
    paths = book.ask("GET", "/api/permissions/luis", token=book.sign_in("ana")).body
    demand(holds=GRANTED[0] in json.dumps(paths), what=f"luis has {paths}; {verified}")


def reload_nginx(book: Runbook) -> None:
    """nginx loads a new configuration while requests run; none fails."""
    with asking(book) as failures:
        for _ in range(3):
            book.compose("kill", "--signal", "HUP", "nginx")
            time.sleep(1)
    demand(holds=not failures, what=f"failed meanwhile: {failures[:3]}")


def upgrade_and_back(book: Runbook) -> None:
    """Another version uses the volume, then the first one again; the records are still there."""
    before = book.audit_total()
    for tag in (NEW, OLD):
        book.up(tag=tag)
        image = book.container("erp-gateway")["Config"]["Image"]
        demand(holds=image == f"erp-gateway:{tag}", what=f"{image} runs")
        demand(holds=book.audit_total() >= before, what="audit records are gone")


def kill_each(book: Runbook) -> None:
    """Kill the process of each container under load; the engine restarts it, and it works again."""
    paths = {"erp-gateway": "/api/health", "supplier-returns": "/devoluciones/api/health", "nginx": "/"}
    for service, path in paths.items():
        begun = time.monotonic()
        with asking(book):
            book.kill(service)
            book.answers_again(path, within_s=60)
        print(f"     {service}: answered again after {time.monotonic() - begun:.1f} s", flush=True)
    main_path(book)


def stop(book: Runbook) -> None:
    """Everything stops in an orderly way."""
    book.compose("stop")
    for service in OURS:
        code = book.ended_with(service)
        demand(holds=code == 0, what=f"{service} ended with {code}")

"""Step with two companies on one origin, each with its own services and nginx."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie

from stack.company import ERP_PASSWORD, WAREHOUSE_USER
from stack.exchange import exchange

from servicekit.testing.ports import free_port
from tools.images_check.containers import OLD, Containers, Place, demand
from tools.images_check.runbook import Runbook

FILES = ("deploy/compose.yaml", "deploy/compose.company.yaml", "deploy/compose.dev.yaml")
NAMES = ("norte", "sur")


def companies(book: Runbook) -> None:
    """Two companies under prefixes of one origin: credentials of one are invalid at the other."""
    with _started(book) as port:
        tokens, cookies = {}, {}
        for name in NAMES:
            login = exchange(
                port, "POST", f"/{name}/api/auth/login", {"username": "ana", "password": "ana-demo"}
            )
            demand(holds=login.status == 200, what=f"{name}: {login.status} {login.content[:200]!r}")
            tokens[name] = login.body["token"]
            body = {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD}
            origin = {"Origin": f"http://127.0.0.1:{port}"}
            opened = exchange(port, "POST", f"/{name}/devoluciones/api/auth/login", body, headers=origin)
            demand(holds=opened.status == 200, what=f"{name}: {opened.status} {opened.content[:200]!r}")
            cookie = SimpleCookie(opened.headers["Set-Cookie"])["dp_sid"]
            demand(holds=cookie["path"] == f"/{name}/devoluciones", what=f"a cookie for {cookie['path']}")
            cookies[name] = f"dp_sid={cookie.value}"
            demand(holds=exchange(port, "GET", f"/{name}/consola/").status == 200, what=f"{name}: no console")
        for at in NAMES:
            for of in NAMES:
                observed = (
                    exchange(port, "GET", f"/{at}/api/auth/me", token=tokens[of]).status,
                    exchange(
                        port, "GET", f"/{at}/devoluciones/api/auth/me", headers={"Cookie": cookies[of]}
                    ).status,
                )
                wanted = (200, 200) if at == of else (401, 401)
                demand(holds=observed == wanted, what=f"what {of} gave gets {observed} at {at}")


@contextmanager
def _started(book: Runbook) -> Iterator[int]:
    """Start both companies and the nginx before them; yield its port."""
    port = free_port()
    front = ("docker", "compose", "--file", "deploy/compose.companies.yaml")
    places = [
        Containers(
            Place(
                project=f"erp-images-{name}",
                files=FILES,
                subnet=f"172.31.{number}.0/24",
                origin=0,
                returns_origin=0,
                control=0,
            )
        )
        for number, name in enumerate(NAMES, 253)
    ]
    try:
        book.run(*front, "up", "--detach", ORIGIN_PORT=str(port))
        for name, place in zip(NAMES, places, strict=True):
            place.environ["COMPANY"] = name
            place.up(tag=OLD)
        yield port
    finally:
        for place in places:
            place.compose("down", "--volumes", "--timeout", "5")
        book.run(*front, "down", "--timeout", "5")

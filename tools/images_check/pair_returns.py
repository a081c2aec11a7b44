"""Steps of two supplier-returns behind nginx: if the first one is gone, the second one continues with the
same plannings.
"""

import time
from http.cookies import SimpleCookie
from typing import Any

from stack.company import ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.exchange import Answer

from tools.images_check.containers import demand
from tools.images_check.pair_installation import GATEWAYS, RETURNS, Pair

API = "/devoluciones/api"
PLANNINGS = f"{API}/planificaciones"
MOST_ITEMS = 8


def pair_returns(book: Pair) -> None:
    """Kill supplier-returns: people sign in again at the second one and execute their plannings there."""
    first, backup = RETURNS
    manager = _sign_in(book, ERP_USER)
    rebuilt = manager("POST", f"{API}/metadata/rebuild", {"simular": False})
    demand(holds=rebuilt.status == 200, what=f"metadata: {rebuilt.content[:300]!r}")
    person = _sign_in(book, WAREHOUSE_USER)
    planned = _plan(book, person)
    book.compose("kill", first)
    gone = person("GET", f"{PLANNINGS}/{planned['id']}")
    demand(holds=gone.status == 401, what=f"a session of {first} is answered {gone.status} by {backup}")
    begun = time.monotonic()
    person = _sign_in(book, WAREHOUSE_USER)
    took_s = time.monotonic() - begun
    found = person("GET", f"{PLANNINGS}/{planned['id']}")
    demand(holds=found.body == planned, what=f"the planning became {found.content[:300]!r}")
    path = f"{PLANNINGS}/{planned['id']}/devoluciones"
    done = person("POST", path, {"version": planned["version"]})
    demand(holds=done.status == 200 and done.body["estado"] == "ejecutada", what=f"{done.content[:600]!r}")
    again = person("POST", path, {"version": planned["version"]})
    demand(holds=(again.status, again.code) == (409, "stale_version"), what=f"{again.status} {again.code}")
    book.compose("start", first)
    book.up()
    person = _sign_in(book, WAREHOUSE_USER)
    after = person("GET", f"{PLANNINGS}/{planned['id']}")
    demand(holds=after.body["estado"] == "ejecutada", what=f"it is {after.content[:300]!r}")
    print(
        f"     signed in at {backup} after {took_s:.1f} s; {len(done.body['documentos'])} returns", flush=True
    )


def pair_stop(book: Pair) -> None:
    """Everything stops in an orderly way."""
    book.compose("stop")
    for service in (*GATEWAYS, *RETURNS, "postgres"):
        code = book.ended_with(service)
        demand(holds=code == 0, what=f"{service} ended with {code}")


class _Person:
    """A user who is signed in to supplier-returns."""

    def __init__(self, book: Pair, cookie: str) -> None:
        self._book = book
        self._cookie = cookie

    def __call__(self, method: str, path: str, body: object = None) -> Answer:
        return self._book.ask(method, path, body, headers={"Cookie": self._cookie})


def _sign_in(book: Pair, erp_user: str) -> _Person:
    answer = book.ask("POST", f"{API}/auth/login", {"usuario": erp_user, "clave": ERP_PASSWORD})
    demand(holds=answer.status == 200, what=f"{erp_user}: {answer.status} {answer.content[:200]!r}")
    cookie = SimpleCookie(answer.headers["Set-Cookie"])["dp_sid"].value
    return _Person(book, f"dp_sid={cookie}")


def _plan(book: Pair, person: _Person) -> dict[str, Any]:
    """Plan one piece of each of some received items, if it is returnable."""
    query = "$select=DocEntry&$filter=DocumentStatus%20eq%20%27bost_Open%27&$orderby=DocEntry%20desc&$top=12"
    token = book.sign_in("ana")
    listed = book.ask("GET", f"/api/sl/PurchaseDeliveryNotes?{query}", token=token).body["value"]
    items: dict[str, None] = {}
    for each in listed:
        note = book.ask("GET", f"/api/sl/PurchaseDeliveryNotes/{each['DocEntry']}", token=token).body
        items.update(dict.fromkeys(line["ItemCode"] for line in note["DocumentLines"]))
    lines = [{"itemCode": item, "cantidad": 1} for item in list(items)[:MOST_ITEMS]]
    new = {"cabecera": {"whsCode": "01"}, "lineas": lines, "permitirOtra": True}
    made = person("POST", PLANNINGS, new)
    demand(holds=made.status == 201, what=f"a planning: {made.status} {made.content[:300]!r}")
    planning: dict[str, Any] = made.body
    for line in planning["lineas"]:
        if line["estado"] == "requiere_lotes":
            change = {"version": planning["version"], "excluida": True}
            planning = person("PATCH", f"{PLANNINGS}/{planning['id']}/lineas/{line['lineId']}", change).body
    read: dict[str, Any] = person("GET", f"{PLANNINGS}/{planning['id']}").body
    return read

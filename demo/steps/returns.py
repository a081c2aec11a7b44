"""A warehouse user plans returns to suppliers: from a spreadsheet to a plan in the ERP."""

from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

from stack.company import ERP_PASSWORD, ERP_USER, WAREHOUSE_USER
from stack.exchange import Answer

from demo.tour import ADMINISTRATOR, Step, Tour

API = "/devoluciones/api"
WAREHOUSE = "01"
SHEET = "devolucion.tsv"
"""What the tour pastes, left for people who want to paste it themselves."""
_RECEIPTS = "$select=DocEntry&$filter=DocumentStatus%20eq%20%27bost_Open%27&$orderby=DocEntry%20desc&$top=12"


@dataclass(frozen=True)
class ReturnsStep:
    """One step, told apart from the others of this module."""

    NAME: str
    TITLE: str
    run: Callable[[Tour], None]


def call(tour: Tour, erp_user: str, method: str, path: str, body: object = None) -> Answer:
    """Ask supplier-returns as a signed-in ERP user."""
    headers = {"Cookie": tour.need(f"cookie of {erp_user}")}
    return tour.client.call(method, f"{API}{path}", body, headers=headers, quiet=("Cookie",))


def _log_in(tour: Tour) -> None:
    for erp_user in (ERP_USER, WAREHOUSE_USER):
        answer = tour.client.call("POST", f"{API}/auth/login", {"usuario": erp_user, "clave": ERP_PASSWORD})
        tour.expect(answer, 200)
        cookie = SimpleCookie(answer.headers["Set-Cookie"])["dp_sid"]
        tour.demand(holds=cookie["path"] == "/devoluciones", what=f"the cookie's path is {cookie['path']}")
        tour.keep(f"cookie of {erp_user}", f"dp_sid={cookie.value}")
    me = call(tour, WAREHOUSE_USER, "GET", "/auth/me")
    tour.expect(me, 200)
    tour.demand(holds=me.body["usuario"]["codigo"] == WAREHOUSE_USER, what="the session is another's")


def _own_origin(tour: Tour) -> None:
    headers = {"Cookie": tour.need(f"cookie of {WAREHOUSE_USER}")}
    person = {"usuario": WAREHOUSE_USER, "clave": ERP_PASSWORD}
    answer = tour.returns.call("POST", "/api/auth/login", person)
    tour.expect(answer, 200)
    cookie = SimpleCookie(answer.headers["Set-Cookie"])["dp_sid"]
    tour.demand(holds=cookie["path"] == "/", what=f"the cookie's path is {cookie['path']}")
    both = {"Cookie": f"dp_sid={cookie.value}; {headers['Cookie']}"}
    tour.expect(tour.returns.call("POST", "/api/auth/logout", headers=both, quiet=("Cookie",)), 204)
    me = tour.returns.call("GET", "/api/auth/me", headers=both, quiet=("Cookie",))
    tour.expect(me, 200)
    tour.demand(holds=me.body["usuario"]["codigo"] == WAREHOUSE_USER, what="the other session does not count")


def _rebuild(tour: Tour) -> None:
    answer = call(tour, ERP_USER, "POST", "/metadata/rebuild", {"simular": False})
    tour.expect(answer, 200)
    tour.demand(holds=not answer.body["errores"], what=f"errors: {answer.body['errores']}")
    tour.demand(holds=bool(answer.body["creados"]), what="nothing was created in an empty company")


def _rebuild_again(tour: Tour) -> None:
    answer = call(tour, ERP_USER, "POST", "/metadata/rebuild", {"simular": False})
    tour.expect(answer, 200)
    changed = [*answer.body["creados"], *answer.body["actualizados"]]
    tour.demand(holds=not changed, what=f"changed again: {changed}")
    status = call(tour, ERP_USER, "GET", "/metadata/status")
    tour.expect(status, 200)
    tour.demand(holds=status.body["completo"], what="the metadata is not complete")


def _catalogues(tour: Tour) -> None:
    answer = call(tour, WAREHOUSE_USER, "GET", "/catalogos")
    tour.expect(answer, 200)
    codes = [each["whsCode"] for each in answer.body["almacenes"]]
    tour.demand(holds=WAREHOUSE in codes, what=f"warehouse {WAREHOUSE} is not among {codes}")
    tour.demand(holds=bool(answer.body["series"]), what="there is no numbering series for returns")


def _paste(tour: Tour) -> None:
    items = _received_items(tour)
    text = "Código\tCantidad\tMotivo\n" + "".join(f"{item}\t{3 + n}\t\n" for n, item in enumerate(items))
    text += "NO-EXISTE\t5\t\nTotal\t99\t\n"
    tour.leave(SHEET, text.encode())
    preview = call(
        tour, WAREHOUSE_USER, "POST", "/planificaciones/pegar", {"whsCode": WAREHOUSE, "texto": text}
    )
    tour.expect(preview, 200)
    _show_lines(preview.body["lineas"])
    for line in preview.body["lineas"]:
        shares = (line["asignada"], line["sinStock"], line["sinEntrada"], line["noDivisible"])
        tour.demand(holds=sum(shares) == line["cantidad"], what=f"{line['itemCode']} does not add up")
    tour.demand(holds=bool(preview.body["documentos"]), what="nothing of it can go back")
    tour.keep("preview", preview.body)


def _received_items(tour: Tour) -> list[str]:
    """Return some items that came into the warehouse lately."""
    token = tour.token(ADMINISTRATOR)
    receipts = tour.client.call("GET", f"/api/sl/PurchaseDeliveryNotes?{_RECEIPTS}", token=token)
    tour.expect(receipts, 200)
    items: dict[str, None] = {}
    for receipt in receipts.body["value"]:
        path = f"/api/sl/PurchaseDeliveryNotes/{receipt['DocEntry']}?$select=DocumentLines"
        found = tour.client.call("GET", path, token=token)
        tour.expect(found, 200)
        items |= {
            line["ItemCode"]: None
            for line in found.body["DocumentLines"]
            if line["WarehouseCode"] == WAREHOUSE and line["LineStatus"] == "bost_Open"
        }
        if len(items) > 3:
            break
    tour.demand(holds=bool(items), what="no open receipt was found")
    return list(items)[:6]


def _create(tour: Tour) -> None:
    preview = tour.need("preview")
    lines = [
        {"itemCode": line["itemCode"], "cantidad": line["cantidad"], "filas": line["filas"]}
        for line in preview["lineas"]
    ]
    new = {"cabecera": {"whsCode": WAREHOUSE}, "lineas": lines, "huella": preview["huella"]}
    created = call(tour, WAREHOUSE_USER, "POST", "/planificaciones", new)
    tour.expect(created, 201)
    path = f"{API}/planificaciones/{created.body['id']}"
    tour.demand(holds=created.headers["Location"] == path, what=f"it is at {created.headers['Location']}")
    _show_documents(created.body["documentos"])
    second = call(tour, WAREHOUSE_USER, "POST", "/planificaciones", new)
    tour.expect(second, 409, code="open_planning_exists")
    tour.keep("planning", created.body)


def _change(tour: Tour) -> None:
    planning = tour.need("planning")
    line = next(each for each in planning["lineas"] if each["asignada"])
    path = f"/planificaciones/{planning['id']}/lineas/{line['lineId']}"
    change = {"version": planning["version"], "cantidad": 1}
    changed = call(tour, WAREHOUSE_USER, "PATCH", path, change)
    tour.expect(changed, 200)
    now = next(each for each in changed.body["lineas"] if each["lineId"] == line["lineId"])
    tour.demand(holds=now["cantidad"] == 1, what=f"the quantity is {now['cantidad']}")
    stale = call(tour, WAREHOUSE_USER, "PATCH", path, change)
    tour.expect(stale, 409, code="stale_version")
    unknown = next(each for each in planning["lineas"] if each["itemCode"] == "NO-EXISTE")
    path = f"/planificaciones/{planning['id']}/lineas/{unknown['lineId']}"
    excluded = call(
        tour, WAREHOUSE_USER, "PATCH", path, {"version": changed.body["version"], "excluida": True}
    )
    tour.expect(excluded, 200)
    tour.keep("planning", excluded.body)


def _list(tour: Tour) -> None:
    planning = tour.need("planning")
    listed = call(tour, ERP_USER, "GET", "/planificaciones?status=O&tamano=5")
    tour.expect(listed, 200)
    numbers = [row["id"] for row in listed.body["datos"]]
    tour.demand(holds=planning["id"] in numbers, what=f"{planning['id']} is not among {numbers}")
    opened = call(tour, WAREHOUSE_USER, "GET", f"/planificaciones/abierta?whsCode={WAREHOUSE}")
    tour.expect(opened, 200)
    tour.demand(
        holds=opened.body["planificacion"] == planning, what="what is stored is not what was answered"
    )


def _show_lines(lines: list[dict[str, Any]]) -> None:
    print(f"     {'artículo':<18}{'pedida':>8}{'devuelve':>9}  mensaje")
    for line in lines:
        print(
            f"     {line['itemCode']:<18}{line['cantidad']:>8}{line['asignada']:>9}  {line['mensaje'] or ''}"
        )


def _show_documents(documents: list[dict[str, Any]]) -> None:
    for document in documents:
        print(
            f"     documento {document['docId']}: {document['proveedor']} ({document['rut']}), "
            f"{document['lineas']} líneas, {document['moneda']} {document['total']}"
        )


STEPS: tuple[Step, ...] = (
    ReturnsStep("returns-login", "An ERP superuser and a warehouse user sign in.", _log_in),
    ReturnsStep(
        "returns-own-origin",
        "Returns alone, at an origin of their own.",
        _own_origin,
    ),
    ReturnsStep("metadata-rebuild", "The superuser lets the ERP learn what a planning is.", _rebuild),
    ReturnsStep("metadata-again", "Once more: nothing is left to do, nothing is changed.", _rebuild_again),
    ReturnsStep("catalogues", "Warehouses, series and valid values.", _catalogues),
    ReturnsStep("paste", "A pasted sheet becomes a plan; what can't go says why.", _paste),
    ReturnsStep("plan-create", "The plan is stored; a second one is refused.", _create),
    ReturnsStep("plan-change", "A line is planned again; under a stale version it is not.", _change),
    ReturnsStep("plan-list", "Everybody sees the planning, just as it was answered.", _list),
)

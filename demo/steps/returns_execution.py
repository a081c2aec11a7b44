"""The warehouse user's plans become documents of the ERP: made once, mended, closed, printed."""

from typing import Any

from stack.company import WAREHOUSE_USER
from stack.exchange import Answer

from demo.pdf import read_pdf
from demo.steps.returns import WAREHOUSE, ReturnsStep, call
from demo.tour import Step, Tour

PLANNINGS = "/planificaciones"
MANY = 100_000
"""More than there is of anything: whatever is open is planned."""


def _ask(tour: Tour, method: str, path: str, body: object = None) -> Answer:
    return call(tour, WAREHOUSE_USER, method, f"{PLANNINGS}{path}", body)


def _execute(tour: Tour) -> None:
    planning = _without_unpicked(tour, tour.need("planning"))
    path = f"/{planning['id']}/devoluciones"
    done = _ask(tour, "POST", path, {"version": planning["version"]})
    tour.expect(done, 200)
    _show(done.body)
    states = {document["estado"] for document in done.body["documentos"]}
    tour.demand(holds=states == {"creado"}, what=f"documents are {states}")
    tour.demand(holds=done.body["estado"] == "ejecutada", what=f"the planning is {done.body['estado']}")
    again = _ask(tour, "POST", path, {"version": planning["version"]})
    tour.expect(again, 409, code="stale_version")
    tour.keep("executed", done.body)


def _without_unpicked(tour: Tour, planning: dict[str, Any]) -> dict[str, Any]:
    """Exclude the lines whose batches or serial numbers nobody picked."""
    for line in planning["lineas"]:
        if line["estado"] == "requiere_lotes":
            change = {"version": planning["version"], "excluida": True}
            changed = _ask(tour, "PATCH", f"/{planning['id']}/lineas/{line['lineId']}", change)
            tour.expect(changed, 200)
            planning = changed.body
    return planning


def _execute_some_fail(tour: Tour) -> None:
    first, second = _two_items(tour)
    planning = _plan(tour, (first, MANY), (second, 1))
    tour.demand(holds=len(planning["documentos"]) > 1, what="it is one document only")
    rival = _plan(tour, (first, 1))
    taken = _ask(tour, "POST", f"/{rival['id']}/devoluciones", {"version": rival["version"]})
    tour.expect(taken, 200)
    print("     (somebody else gave one piece back in between)")
    failed = _ask(tour, "POST", f"/{planning['id']}/devoluciones", {"version": planning["version"]})
    tour.expect(failed, 200)
    _show(failed.body)
    states = [document["estado"] for document in failed.body["documentos"]]
    tour.demand(holds="error" in states and "creado" in states, what=f"documents are {states}")
    tour.demand(holds="reprocesar" in failed.body["acciones"], what=f"offered: {failed.body['acciones']}")
    tour.keep("failed", failed.body)


def _two_items(tour: Tour) -> tuple[str, str]:
    """Return two items without batches whose documents go to different suppliers."""
    preview = tour.need("preview")
    suppliers: dict[str, str] = {}
    for line in preview["lineas"]:
        if line["gestion"] == "ninguna" and line["asignaciones"]:
            suppliers.setdefault(line["asignaciones"][0]["cardCode"], line["itemCode"])
    tour.demand(holds=len(suppliers) > 1, what="all of it comes from one supplier")
    first, second, *_ = suppliers.values()
    return first, second


def _plan(tour: Tour, *wanted: tuple[str, int]) -> dict[str, Any]:
    lines = [{"itemCode": item, "cantidad": quantity} for item, quantity in wanted]
    new = {"cabecera": {"whsCode": WAREHOUSE}, "lineas": lines, "permitirOtra": True}
    created = _ask(tour, "POST", "", new)
    tour.expect(created, 201)
    planning: dict[str, Any] = created.body
    return planning


def _reprocess(tour: Tour) -> None:
    failed = tour.need("failed")
    mended = _ask(tour, "POST", f"/{failed['id']}/reprocesar", {})
    tour.expect(mended, 200)
    _show(mended.body)
    before = [each for each in _but_folios(failed) if each["estado"] == "creado"]
    tour.demand(
        holds=all(each in _but_folios(mended.body) for each in before),
        what="a document that was made has changed",
    )
    tour.demand(holds=mended.body["estado"] == "ejecutada", what=f"the planning is {mended.body['estado']}")
    with_folios = _ask(tour, "POST", f"/{failed['id']}/reprocesar", {})
    tour.expect(with_folios, 200)
    tour.demand(
        holds=_but_folios(with_folios.body) == _but_folios(mended.body), what="there was something left to do"
    )
    made = [each for each in with_folios.body["documentos"] if each["estado"] == "creado"]
    tour.demand(holds=all(each["folio"] for each in made), what="a return that was made has no folio")
    nothing = _ask(tour, "POST", f"/{failed['id']}/reprocesar", {})
    tour.expect(nothing, 200)
    tour.demand(holds=nothing.body == with_folios.body, what="a planning with all folios has changed")


def _but_folios(planning: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the documents without their folios, which the ERP gives later and which are asked for again."""
    return [{**each, "folio": None} for each in planning["documentos"]]


def _close(tour: Tour) -> None:
    failed = tour.need("failed")
    for _ in range(2):
        closed = _ask(tour, "POST", f"/{failed['id']}/cerrar", {"motivo": "Retirado por el proveedor"})
        tour.expect(closed, 200)
        tour.demand(holds=closed.body["estado"] == "cerrada", what=f"it is {closed.body['estado']}")
    refused = _ask(tour, "POST", f"/{failed['id']}/reprocesar", {})
    tour.expect(refused, 409, code="planning_closed")


def _joined_pdf(tour: Tour) -> None:
    executed = tour.need("executed")
    made = executed["documentos"]
    answer = _ask(tour, "POST", f"/{executed['id']}/pdf", {})
    tour.expect(answer, 200)
    read = _ask(tour, "GET", f"/{executed['id']}")
    tour.expect(read, 200)
    folios = [document["folio"] for document in read.body["documentos"]]
    tour.demand(holds=len(folios) == len(made) and all(folios), what=f"the folios are {folios}")
    texts = [page.text for page in read_pdf(answer.content)]
    places = [next((at for at, text in enumerate(texts) if str(folio) in text), -1) for folio in folios]
    tour.demand(holds=places == sorted(set(places)) and -1 not in places, what=f"they are on pages {places}")
    tour.leave("devoluciones.pdf", answer.content)


def _show(planning: dict[str, Any]) -> None:
    for document in planning["documentos"]:
        number = document["docNum"] or "-"
        print(
            f"     documento {document['docId']}: {document['estado']:<10} devolución {number:<8} "
            f"{document['proveedor']} {document['mensaje'] or ''}"
        )


STEPS: tuple[Step, ...] = (
    ReturnsStep("execute", "The plan becomes returns; the same again makes nothing.", _execute),
    ReturnsStep("execute-some-fail", "One document can't be made: the others are.", _execute_some_fail),
    ReturnsStep("reprocess", "What failed is planned anew with what is there, and made.", _reprocess),
    ReturnsStep("close", "The planning is closed; closing it twice changes nothing.", _close),
    ReturnsStep("joined-pdf", "The tax documents of the plan, joined in its order.", _joined_pdf),
)

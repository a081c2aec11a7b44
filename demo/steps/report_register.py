"""An administrator makes a report of the ERP available, and a print format of a screen."""

from typing import Any

from demo.tour import ADMINISTRATOR, Tour

NAME = "report-register"
TITLE = "A report and a print format of the ERP are registered."

STOCK = "RCRI0002"
ORDER_LAYOUT = "RDR20001"
ORDERS_SCREEN = "/ventas/pedidos"


def run(tour: Tour) -> None:
    """See what there is, take over the suggested parameters, register both."""
    token = tour.token(ADMINISTRATOR)
    known = tour.client.call("GET", "/api/gateway/authorized", token=token)
    tour.expect(known, 200)
    tour.demand(holds=STOCK in _codes(known.body), what=f"{STOCK} is not among {_codes(known.body)}")
    layouts = tour.client.call("GET", "/api/gateway/authorized?document=RDR2", token=token)
    tour.expect(layouts, 200)
    tour.demand(holds=ORDER_LAYOUT in _codes(layouts.body), what=f"{ORDER_LAYOUT} is not among the layouts")
    stock = {"title": "Existencias por bodega", "category": "Inventario", "enabled": True}
    _register(tour, STOCK, {**stock, "parameters": _suggested(tour, STOCK)})
    order = {"title": "Pedido", "category": "Ventas", "enabled": True}
    screens = [{"screen": ORDERS_SCREEN, "default": True}]
    _register(
        tour, ORDER_LAYOUT, {**order, "documents": screens, "parameters": _suggested(tour, ORDER_LAYOUT)}
    )
    registered = tour.client.call("GET", "/api/gateway/registry", token=token)
    tour.expect(registered, 200)
    tour.demand(
        holds={STOCK, ORDER_LAYOUT} <= set(_codes(registered.body)),
        what=f"registered are {_codes(registered.body)}",
    )


def _suggested(tour: Tour, code: str) -> list[dict[str, Any]]:
    path = f"/api/gateway/authorized/{code}/parameters"
    answer = tour.client.call("GET", path, token=tour.token(ADMINISTRATOR))
    tour.expect(answer, 200)
    parameters: list[dict[str, Any]] = answer.body["parameters"]
    tour.keep(f"parameters of {code}", [each["name"] for each in parameters])
    return parameters


def _register(tour: Tour, code: str, definition: dict[str, object]) -> None:
    path = f"/api/gateway/registry/{code}"
    tour.expect(tour.client.call("PUT", path, definition, token=tour.token(ADMINISTRATOR)), 200)


def _codes(body: dict[str, list[dict[str, str]]]) -> list[str]:
    return [item["code"] for item in body["items"]]

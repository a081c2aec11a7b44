"""The order of an earlier step, as the ERP's database has it."""

from demo.tour import CLERK, Tour

NAME = "query-order"
TITLE = "The new order is in the next query and in its report."


def run(tour: Tour) -> None:
    """Compare the query's order and lines with the Service Layer's, and look for the order in its report."""
    token = tour.token(CLERK)
    number = tour.need("order")
    if not tour.is_live:
        answer = tour.client.call("POST", "/api/erpdb/queries/pedido", _params(number), token=token)
        tour.expect(answer, 200)
        tour.demand(holds=answer.body["rows"] == [], what="a copy of the start has an order made later")
        print("   (without hdbcli the database is a copy of the start: the order is not in it)")
        return
    read = tour.client.call("GET", f"/api/sl/Orders/{number}", token=token)
    tour.expect(read, 200)
    order = read.body
    answer = tour.client.call("POST", "/api/erpdb/queries/pedido", _params(number), token=token)
    tour.expect(answer, 200)
    (row,) = answer.body["rows"]
    told = (row["numero"], row["cliente"], row["comentarios"], row["total"])
    same = (order["DocNum"], order["CardName"], order["Comments"], order["DocTotal"])
    tour.demand(holds=told == same, what=f"the Service Layer says {same}, the query {told}")
    answer = tour.client.call("POST", "/api/erpdb/queries/lineas_de_pedido", _params(number), token=token)
    tour.expect(answer, 200)
    lines = [(line["codigo"], line["cantidad"], line["total"]) for line in answer.body["rows"]]
    kept = [(line["ItemCode"], line["Quantity"], line["LineTotal"]) for line in order["DocumentLines"]]
    tour.demand(holds=lines == kept, what=f"the Service Layer has the lines {kept}, the query {lines}")
    asked = {"values": {"docEntry": number}}
    report = tour.client.call("POST", "/api/html-reports/pedido/render", asked, token=token)
    tour.expect(report, 200)
    heading = f"N° {order['DocNum']}"
    tour.demand(holds=heading in report.content.decode(), what=f"{heading} is not in the report")


def _params(number: int) -> dict[str, dict[str, int]]:
    return {"params": {"docEntry": number}}

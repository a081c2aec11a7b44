"""A query of the customer's extension, checked against the Service Layer."""

from datetime import date

from demo.tour import CLERK, Tour

NAME = "query"
TITLE = "A query of the customer's extension: a name, never SQL."

_DAY = date(2025, 12, 30)


def run(tour: Tour) -> None:
    """Ask which there are, list overdue invoices, compare the oldest with the Service Layer."""
    token = tour.token(CLERK)
    listed = tour.client.call("GET", "/api/erpdb/queries", token=token)
    tour.expect(listed, 200)
    names = [item["name"] for item in listed.body["items"]]
    tour.demand(holds={"stock_por_bodega", "facturas_vencidas"} <= set(names), what=f"queries: {names}")
    asked = {"params": {"fecha": _DAY.isoformat()}}
    answer = tour.client.call("POST", "/api/erpdb/queries/facturas_vencidas", asked, token=token)
    tour.expect(answer, 200)
    rows = answer.body["rows"]
    tour.demand(holds=bool(rows) and not answer.body["truncated"], what=f"{len(rows)} rows")
    for row in rows:
        due = date.fromisoformat(row["vencimiento"])
        tour.demand(holds=due < _DAY, what=f"invoice {row['numero']} is due on {due}")
        late = (_DAY - due).days
        tour.demand(holds=row["diasVencida"] == late, what=f"{row['diasVencida']} days for {late}")
    oldest = rows[0]
    options = "$select=DocNum,CardCode,DocDueDate,DocTotal"
    read = tour.client.call("GET", f"/api/sl/Invoices/{oldest['docEntry']}?{options}", token=token)
    tour.expect(read, 200)
    invoice = read.body
    same = (invoice["DocNum"], invoice["CardCode"], invoice["DocDueDate"][:10], invoice["DocTotal"])
    told = (oldest["numero"], oldest["cliente"], oldest["vencimiento"], oldest["total"])
    tour.demand(holds=same == told, what=f"the Service Layer says {same}, the query {told}")
    wrong = tour.client.call(
        "POST", "/api/erpdb/queries/facturas_vencidas", {"params": {"fecha": "ayer"}}, token=token
    )
    tour.expect(wrong, 400)

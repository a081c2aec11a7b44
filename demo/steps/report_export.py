"""A report of the ERP as PDF."""

from demo.pdf import read_pdf
from demo.steps.report_register import STOCK
from demo.tour import ADMINISTRATOR, CLERK, Tour

NAME = "report-export"
TITLE = "The report runs, its values ordered, typed and checked."


def run(tour: Tour) -> None:
    """Run it with a value missing, then with all, and read the PDF."""
    paths = {"paths": ["/ventas/*", "/socios", "/reportes/ejecutar", "/reportes-html/ejecutar"]}
    granted = tour.client.call("PUT", f"/api/permissions/{CLERK}", paths, token=tour.token(ADMINISTRATOR))
    tour.expect(granted, 200)
    token = tour.token(CLERK)
    listed = tour.client.call("GET", "/api/gateway/reports", token=token)
    tour.expect(listed, 200)
    names = {name.partition("@")[0]: name for name in tour.need(f"parameters of {STOCK}")}
    values = {"Minimo": "300", names["warehouse"]: "06", "Fecha": "2025-12-30", "Otro": "se descarta"}
    path = f"/api/gateway/reports/{STOCK}/export"
    refused = tour.client.call("POST", path, {"values": {"Fecha": "ayer"}}, token=token)
    tour.expect(refused, 400, code="invalid_body")
    answer = tour.client.call("POST", path, {"values": values}, token=token)
    tour.expect(answer, 200)
    pages = read_pdf(answer.content)
    tour.demand(holds="Existencias por bodega" in pages[0].text, what=f"it says {pages[0].text[:80]}")
    tour.demand(holds="30-12-2025" in pages[0].text, what="the day is not in it")
    tour.leave("existencias.pdf", answer.content)

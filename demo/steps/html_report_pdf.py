"""The reports of the customer's extension as PDF."""

from demo.pdf import PdfPage, read_pdf
from demo.steps.html_report import SALES
from demo.tour import ADMINISTRATOR, CLERK, Tour

NAME = "html-report-pdf"
TITLE = "The same report printed, and what the audit keeps of it."

_LETTER_MM = (216, 279)
_OLDEST_OPEN = (
    "$select=DocEntry,DocNum,DocTotal&$filter=DocumentStatus%20eq%20%27bost_Open%27&$orderby=DocEntry&$top=1"
)


def run(tour: Tour) -> None:
    """Print both, look at the paper and for what must be on it."""
    sales = _print(tour, "ventas", SALES)
    tour.demand(holds=len(sales) > 1, what="the list of customers did not go on to another page")
    for number, page in enumerate(sales, 1):
        footer = f"Página {number} de {len(sales)}"
        tour.demand(holds=footer in page.text, what=f"page {number} does not say {footer}")
    tour.demand(holds="Acumulado" in sales[-1].text, what="the last page does not repeat the table's heading")
    found = tour.client.call("GET", f"/api/sl/Orders?{_OLDEST_OPEN}", token=tour.token(CLERK))
    tour.expect(found, 200)
    order = found.body["value"][0]
    (page,) = _print(tour, "pedido", {"values": {"docEntry": order["DocEntry"]}})
    total = f"{round(order['DocTotal']):,}".replace(",", ".")
    for expected in (f"N° {order['DocNum']}", total):
        tour.demand(holds=expected in page.text, what=f"{expected} is not in it: {page.text[:120]}")
    _look_at_the_audit(tour)


def _look_at_the_audit(tour: Tour) -> None:
    """See that the last report and the last query are recorded with names, and without values."""
    for action, resource, fields, detail in (
        ("html_report", "pedido", ["docEntry"], {"format"}),
        ("db_query", "stock_por_bodega", ["bodega"], {"rows", "truncated"}),
    ):
        path = f"/api/audit?usuario={CLERK}&accion={action}&pageSize=1"
        answer = tour.client.call("GET", path, token=tour.token(ADMINISTRATOR))
        tour.expect(answer, 200)
        (item,) = answer.body["items"]
        told = (item["resource"], item["fields"], item["result"], set(item["detail"]))
        tour.demand(holds=told == (resource, fields, "ok", detail), what=f"the audit says {item}")


def _print(tour: Tour, code: str, values: object) -> list[PdfPage]:
    path = f"/api/html-reports/{code}/pdf"
    answer = tour.client.call("POST", path, values, token=tour.token(CLERK))
    tour.expect(answer, 200)
    pages = read_pdf(answer.content)
    tour.demand(holds={page.size_mm for page in pages} == {_LETTER_MM}, what="a page is not on letter paper")
    tour.leave(f"{code}.pdf", answer.content)
    return pages

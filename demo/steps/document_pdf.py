"""The print format of a document."""

from urllib.parse import quote

from demo.pdf import read_pdf
from demo.steps.report_register import ORDER_LAYOUT, ORDERS_SCREEN
from demo.tour import CLERK, Tour

NAME = "document-pdf"
TITLE = "The order is printed from its screen."


def run(tour: Tour) -> None:
    """Ask for the screen's formats, print the order that was created before, look for its number."""
    token = tour.token(CLERK)
    order = tour.need("order")
    read = tour.client.call("GET", f"/api/sl/Orders/{order}?$select=DocNum,CardName", token=token)
    tour.expect(read, 200)
    formats = tour.client.call("GET", f"/api/gateway/documents?screen={quote(ORDERS_SCREEN)}", token=token)
    tour.expect(formats, 200)
    first = formats.body["items"][0]
    tour.demand(holds=first["code"] == ORDER_LAYOUT and first["default"], what=f"the first is {first}")
    asked = {"screen": ORDERS_SCREEN, "code": ORDER_LAYOUT, "docEntry": order}
    answer = tour.client.call("POST", "/api/gateway/documents/export", asked, token=token)
    tour.expect(answer, 200)
    text = read_pdf(answer.content)[0].text
    for expected in (str(read.body["DocNum"]), read.body["CardName"]):
        tour.demand(holds=expected in text, what=f"{expected} is not in it: {text[:120]}")
    tour.leave("pedido-del-erp.pdf", answer.content)
    elsewhere = {**asked, "screen": "/compras/pedidos"}
    refused = tour.client.call("POST", "/api/gateway/documents/export", elsewhere, token=token)
    tour.expect(refused, 403, code="permission_denied")

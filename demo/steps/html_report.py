"""A report of the customer's extension as HTML."""

from demo.tour import CLERK, Tour

NAME = "html-report"
TITLE = "A sales report as HTML that can run and fetch nothing."

SALES = {"values": {"desde": "2025-01-01", "hasta": "2025-12-31"}}


def run(tour: Tour) -> None:
    """See which there are, render one with a value that is no day and with good ones."""
    token = tour.token(CLERK)
    listed = tour.client.call("GET", "/api/html-reports", token=token)
    tour.expect(listed, 200)
    codes = [item["code"] for item in listed.body["items"]]
    tour.demand(holds=codes == ["ventas", "pedido", "estado_de_cuenta"], what=f"reports: {codes}")
    path = "/api/html-reports/ventas/render"
    refused = tour.client.call("POST", path, {"values": {"desde": "ayer"}}, token=token)
    tour.expect(refused, 400, code="invalid_body")
    answer = tour.client.call("POST", path, SALES, token=token)
    tour.expect(answer, 200)
    policy = answer.headers["Content-Security-Policy"]
    tour.demand(holds="sandbox" in policy and "default-src 'none'" in policy, what=f"its policy is {policy}")
    html = answer.content.decode()
    for expected in ("Informe de ventas", '<svg class="chart"', "diciembre de 2025", "01-01-2025"):
        tour.demand(holds=expected in html, what=f"{expected} is not in it")
    tour.leave("ventas.html", answer.content)

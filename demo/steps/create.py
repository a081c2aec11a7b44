"""The administrator grants a menu, and the clerk creates a sales order."""

from demo.tour import ADMINISTRATOR, CLERK, Tour

NAME = "create"
TITLE = "Let into sales orders, the clerk creates one at once."

_CUSTOMER = "$select=CardCode,CardName&$filter=CardType%20eq%20%27cCustomer%27&$orderby=CardCode&$top=1"


def run(tour: Tour) -> None:
    """Grant, look for a customer, create, and keep the order's number."""
    paths = {"paths": ["/ventas/pedidos/*", "/socios"]}
    granted = tour.client.call("PUT", f"/api/permissions/{CLERK}", paths, token=tour.token(ADMINISTRATOR))
    tour.expect(granted, 200)
    customers = tour.client.call("GET", f"/api/sl/BusinessPartners?{_CUSTOMER}", token=tour.token(CLERK))
    tour.expect(customers, 200)
    tour.keep("customer", customers.body["value"][0]["CardCode"])
    order = tour.order("Pedido de la demostración")
    created = tour.client.call("POST", "/api/sl/Orders", order, token=tour.token(CLERK))
    tour.expect(created, 201)
    tour.demand(holds="Location" in created.headers, what="the answer does not say where the order is")
    tour.keep("order", created.body["DocEntry"])

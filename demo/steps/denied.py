"""What the clerk may not do."""

from demo.tour import CLERK, Tour

NAME = "denied-403"
TITLE = "The clerk may not buy, nor see who may do what."


def run(tour: Tour) -> None:
    """Try a purchase order, the permissions, and a resource that is never registered."""
    token = tour.token(CLERK)
    purchase = tour.client.call("POST", "/api/sl/PurchaseOrders", {"CardCode": "P0001"}, token=token)
    tour.expect(purchase, 403, code="permission_denied")
    permissions = tour.client.call("GET", "/api/permissions", token=token)
    tour.expect(permissions, 403, code="permission_denied")
    employees = tour.client.call("GET", "/api/sl/EmployeesInfo", token=token)
    tour.expect(employees, 404)

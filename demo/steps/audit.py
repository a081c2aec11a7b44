"""Who did what."""

from demo.tour import ADMINISTRATOR, CLERK, Tour

NAME = "audit"
TITLE = "Who did what is recorded: names of fields, never values."


def run(tour: Tour) -> None:
    """Look for what the earlier steps did."""
    token = tour.token(ADMINISTRATOR)
    order = str(tour.need("order"))
    created = tour.client.call("GET", f"/api/audit?usuario={CLERK}&accion=sl_create", token=token)
    tour.expect(created, 200)
    keys = [item["key"] for item in created.body["items"] if item["resource"] == "Orders"]
    tour.demand(holds=order in keys, what=f"no record of the creation of order {order}")
    denied = tour.client.call("GET", f"/api/audit?usuario={CLERK}&resultado=denied", token=token)
    tour.expect(denied, 200)
    tour.demand(holds=denied.body["total"] > 0, what="no record of what was denied")
    guesses = tour.client.call("GET", "/api/audit?accion=login_failed", token=token)
    tour.expect(guesses, 200)
    reasons = {item["reason"] for item in guesses.body["items"]}
    tour.demand(holds={"unknown_user", "throttled"} <= reasons, what=f"reasons of failed logins: {reasons}")

"""The same order sent twice with one key: one document, one answer."""

import uuid

from demo.tour import CLERK, Tour

NAME = "write-repeat"
TITLE = "An order that is sent twice with one key is one order."


def run(tour: Tour) -> None:
    """Create an order, send it again, and send another under its key."""
    token, headers = tour.token(CLERK), {"Idempotency-Key": str(uuid.uuid4())}
    order = tour.order("Pedido enviado dos veces")
    first = tour.client.call("POST", "/api/sl/Orders", order, token=token, headers=headers)
    tour.expect(first, 201)
    again = tour.client.call("POST", "/api/sl/Orders", order, token=token, headers=headers)
    tour.expect(again, 201)
    tour.demand(holds=again.content == first.content, what="the second answer is another one")
    tour.demand(
        holds=again.headers["Idempotency-Replayed"] == "true", what="it does not say that it is a repeat"
    )
    other = {**order, "Comments": "Otro pedido"}
    refused = tour.client.call("POST", "/api/sl/Orders", other, token=token, headers=headers)
    tour.expect(refused, 422, code="idempotency_key_reused")

"""An order whose answer is lost: the gateway finds out what became of it."""

import time
import uuid
from typing import Final

from stack.exchange import Answer

from demo.tour import CLERK, Tour

NAME = "write-lost"
TITLE = "An order whose answer was lost is found, not made twice."

_PATIENCE_S: Final = 60.0


def run(tour: Tour) -> None:
    """Lose an answer, wait for what the gateway finds out, and send the order again."""
    token, headers = tour.token(CLERK), {"Idempotency-Key": str(uuid.uuid4())}
    order = tour.order("Pedido cuya respuesta se perdió")
    tour.lose_answer("POST", "Orders")
    lost = tour.client.call("POST", "/api/sl/Orders", order, token=token, headers=headers)
    tour.expect(lost, 502, code="outcome_unknown")
    tour.demand(holds=lost.body["nextStep"] == "wait", what="the gateway does not look for it")
    write = _wait(tour, lost.body["write"]["url"], token)
    tour.demand(holds=write.body["result"] == "done", what=f"the write is {write.body['result']}")
    again = tour.client.call("POST", "/api/sl/Orders", order, token=token, headers=headers)
    tour.expect(again, 201)
    place = f"/api/sl/Orders/{write.body['key']}"
    tour.demand(holds=again.headers["Location"] == place, what="the repeat does not lead to the order")


def _wait(tour: Tour, url: str, token: str) -> Answer:
    """Ask what became of the write until it is known, or patience ends."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        time.sleep(1.0)
        write = tour.client.call("GET", url, token=token)
        tour.expect(write, 200)
        if write.body["result"] != "unknown" or time.monotonic() > until:
            return write

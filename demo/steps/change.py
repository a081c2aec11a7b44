"""A change under optimistic concurrency: the tag that was read goes back with it."""

from demo.tour import CLERK, Tour

NAME = "change"
TITLE = "The clerk changes the order under the tag that was read."


def run(tour: Tour) -> None:
    """Read the order's tag, change the order, read it again."""
    path = f"/api/sl/Orders/{tour.need('order')}"
    token = tour.token(CLERK)
    read = tour.client.call("GET", f"{path}?$select=DocEntry,Comments", token=token)
    tour.expect(read, 200)
    tag = read.headers["ETag"]
    tour.keep("stale tag", tag)
    change = {"Comments": "Entregar por la tarde"}
    tour.expect(tour.client.call("PATCH", path, change, token=token, headers={"If-Match": tag}), 204)
    again = tour.client.call("GET", f"{path}?$select=DocEntry,Comments", token=token)
    tour.expect(again, 200)
    tour.demand(holds=again.body["Comments"] == change["Comments"], what="the change is not there")
    tour.demand(holds=again.headers["ETag"] != tag, what="the tag did not change")

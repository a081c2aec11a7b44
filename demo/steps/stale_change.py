"""The same change once more, with the tag that is stale by now."""

from demo.tour import CLERK, Tour

NAME = "stale-change-412"
TITLE = "A change under an old tag is refused, nothing overwritten."


def run(tour: Tour) -> None:
    """Send a change with the tag from before the last one."""
    path = f"/api/sl/Orders/{tour.need('order')}"
    headers = {"If-Match": tour.need("stale tag")}
    change = {"Comments": "Entregar por la mañana"}
    answer = tour.client.call("PATCH", path, change, token=tour.token(CLERK), headers=headers)
    tour.expect(answer, 412, code="stale_etag")

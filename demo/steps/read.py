"""One record by its key, with its entity tag."""

from urllib.parse import quote

from demo.tour import CLERK, Tour

NAME = "read"
TITLE = "The clerk reads one item by its key."


def run(tour: Tour) -> None:
    """Read the first item of the list."""
    code = tour.need("items")[0]
    path = f"/api/sl/Items/{quote(code, safe='')}?$select=ItemCode,ItemName"
    answer = tour.client.call("GET", path, token=tour.token(CLERK))
    tour.expect(answer, 200)
    tour.demand(holds=answer.body["ItemCode"] == code, what=f"another item came: {answer.body['ItemCode']}")
    tour.demand(holds="ETag" in answer.headers, what="the record has no entity tag")

"""A list of items: validated options, one shared ERP session, a count that is a number."""

from demo.tour import CLERK, StepFailedError, Tour

NAME = "list"
TITLE = "A list of items: its options are checked before the ERP."

_QUERY = (
    "$select=ItemCode,ItemName,QuantityOnStock&$filter=SalesItem%20eq%20%27tYES%27&$orderby=ItemCode&$top=3"
)


def run(tour: Tour) -> None:
    """List three items, and see an option refused with its position."""
    answer = tour.client.call("GET", f"/api/sl/Items?{_QUERY}", token=tour.token(CLERK))
    tour.expect(answer, 200)
    rows = answer.body["value"]
    count = answer.body["odata.count"]
    if len(rows) != 3 or not isinstance(count, int) or count < len(rows):
        raise StepFailedError(f"{len(rows)} rows and a count of {count!r}")
    tour.keep("items", [row["ItemCode"] for row in rows])
    refused = tour.client.call("GET", "/api/sl/Items?$filter=ItemCode%20eq", token=tour.token(CLERK))
    tour.expect(refused, 400)

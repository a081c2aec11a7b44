"""A query with more rows than it may return."""

from demo.tour import CLERK, Tour

NAME = "query-truncated"
TITLE = "Of too many rows the answer says that there are more."


def run(tour: Tour) -> None:
    """Ask for the stock of a large warehouse and of a small one."""
    token = tour.token(CLERK)
    for warehouse, truncated in (("01", True), ("06", False)):
        asked = {"params": {"bodega": warehouse}}
        answer = tour.client.call("POST", "/api/erpdb/queries/stock_por_bodega", asked, token=token)
        tour.expect(answer, 200)
        rows = answer.body["rows"]
        tour.demand(
            holds=answer.body["truncated"] is truncated and (len(rows) == 500) is truncated,
            what=f"{len(rows)} rows of warehouse {warehouse}, truncated {answer.body['truncated']}",
        )
        codes = [row["codigo"] for row in rows]
        tour.demand(holds=len(set(codes)) == len(codes), what="an item came twice")
        tour.demand(holds=all(row["fisico"] for row in rows), what="an item without stock came")

"""What a user-defined field is."""

from demo.tour import CLERK, Tour

NAME = "user-fields"
TITLE = "A form asks what values a user-defined field may have."


def run(tour: Tour) -> None:
    """Ask for a field with valid values, and for one that there is not."""
    token = tour.token(CLERK)
    answer = tour.client.call("GET", "/api/erpdb/user-fields/ORDR/CANAL", token=token)
    tour.expect(answer, 200)
    values = [each["value"] for each in answer.body["validValues"]]
    tour.demand(holds=values == ["WEB", "TEL", "SALA"], what=f"valid values: {values}")
    tour.demand(holds=answer.body["linkedTable"] is None, what="it links to a table")
    unknown = tour.client.call("GET", "/api/erpdb/user-fields/ORDR/NADA", token=token)
    tour.expect(unknown, 404)

"""The last administrator can't be lost."""

from demo.tour import ADMINISTRATOR, Tour

NAME = "last-admin-409"
TITLE = "The last administrator can't give up total access."


def run(tour: Tour) -> None:
    """Try to replace and to remove the administrator's own permissions."""
    token = tour.token(ADMINISTRATOR)
    path = f"/api/permissions/{ADMINISTRATOR}"
    replaced = tour.client.call("PUT", path, {"paths": ["/ventas/*"]}, token=token)
    tour.expect(replaced, 409, code="last_administrator")
    removed = tour.client.call("DELETE", path, token=token)
    tour.expect(removed, 409, code="last_administrator")

"""Somebody guesses passwords."""

from demo.tour import Tour

NAME = "throttled-429"
TITLE = "Five wrong passwords; the sixth is not even looked at."

_FREE_GUESSES = 5


def run(tour: Tour) -> None:
    """Guess until it is refused, and read how long that lasts."""
    for guess in range(_FREE_GUESSES):
        credentials = {"username": "intruso", "password": f"adivinanza {guess}"}
        wrong = tour.client.call("POST", "/api/auth/login", credentials)
        tour.expect(wrong, 401, code="invalid_credentials")
    blocked = tour.client.call("POST", "/api/auth/login", {"username": "intruso", "password": "otra"})
    tour.expect(blocked, 429)
    tour.demand(holds="Retry-After" in blocked.headers, what="the answer does not say when to come back")

"""Two people log in: an administrator and a sales clerk."""

from demo.tour import ADMINISTRATOR, CLERK, PASSWORDS, Tour

NAME = "login"
TITLE = "Web users log in with what the ERP keeps of employees."


def run(tour: Tour) -> None:
    """Log both in, and see that the token tells who it is."""
    for web_user in (ADMINISTRATOR, CLERK):
        credentials = {"username": web_user, "password": PASSWORDS[web_user]}
        answer = tour.client.call("POST", "/api/auth/login", credentials)
        tour.expect(answer, 200)
        tour.keep(f"token of {web_user}", answer.body["token"])
    answer = tour.client.call("GET", "/api/auth/me", token=tour.token(CLERK))
    tour.expect(answer, 200)
    tour.demand(
        holds=answer.body["webUser"] == CLERK, what=f"the session belongs to {answer.body['webUser']}"
    )

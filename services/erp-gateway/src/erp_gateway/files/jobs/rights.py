"""The session and the rights that the owner of a job must keep while it runs."""

from typing import Protocol

from attrs import define

from erp_gateway.files.jobs.job import JobRequest
from erp_gateway.web.access import Permissions, check_one_of
from erp_gateway.web.disconnects import Check
from erp_gateway.web.session import SessionExpired


class Presences(Protocol):
    """Signed-in users; `people.auth.sessions.WebSessionStore` implements it."""

    def find_presence(self, web_user: str) -> int | None:
        """Return a number that stays the same while the user is signed in without a gap; None if
        signed out.
        """
        ...


@define(eq=False, repr=False)
class OwnerRights:
    """Creates the checks of jobs.

    A job belongs to its owner, not to one session: a new login that replaces the session changes nothing. A
    logout, an expiry, or an end by an administrator or a recheck ends the job, although the owner may sign in
    again at once.

    Args:
        sessions: signed-in users.
        permissions: rights of web users.
    """

    _sessions: Presences
    _permissions: Permissions

    def watch(self, request: JobRequest) -> Check:
        """Return a check that raises once the owner of a job signed out or lost a right that it needs."""
        owner = request.owner
        presence = self._sessions.find_presence(owner)

        def check() -> None:
            if presence is None or self._sessions.find_presence(owner) != presence:
                raise SessionExpired
            for routes in request.needed_routes:
                check_one_of(self._permissions, owner, routes)

        return check

"""What a job's owner must keep while it is made: a session, and the rights that it takes."""

from typing import Protocol

from attrs import define

from erp_gateway.files.jobs.jobs import JobRequest
from erp_gateway.web.access import Permissions, check_one_of
from erp_gateway.web.disconnects import Check
from erp_gateway.web.session import SessionExpired


class Presences(Protocol):
    """Who is signed in; `people.auth.sessions.WebSessionStore` knows it."""

    def find_presence(self, web_user: str) -> int | None:
        """Return a number that stays the same while the user is signed in without a gap; None outside."""
        ...


@define(eq=False, repr=False)
class OwnerRights:
    """Makes the checks of jobs.

    A job belongs to its owner, not to one session: a new login that replaces the session changes nothing. A
    logout, an expiry, or an end by an administrator or a recheck ends the job, although the owner may sign in
    again at once.

    Args:
        sessions: who is signed in.
        permissions: what web users may do.
    """

    _sessions: Presences
    _permissions: Permissions

    def watch(self, request: JobRequest) -> Check:
        """Return what raises once a job's owner signed out, or lost a right that the job takes."""
        owner = request.owner
        presence = self._sessions.find_presence(owner)

        def check() -> None:
            if presence is None or self._sessions.find_presence(owner) != presence:
                raise SessionExpired
            for routes in request.needed:
                check_one_of(self._permissions, owner, routes)

        return check

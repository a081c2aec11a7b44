"""Login and logout of the report gateway, and the session of a call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from erpsim.business import users
from erpsim.company.clock import Clock
from erpsim.company.errors import SlError
from erpsim.faults import ExpireSession
from erpsim.faults.calls import Call
from erpsim.report_gateway import replies
from erpsim.service_layer.sessions import Session, SessionTable
from erpsim.service_layer.wire.messages import SlReply
from erpsim.world import World

_LOGIN_FAILED: Final = "Failed to login for current user, please double check and retry"
_INSTANCE_NEEDED: Final = "DB Instance is required."
_SESSION_TIMEOUT: Final = 30
_LOGOUT: Final = "/auth/oidc.logout"


class Entrance:
    """Opens, finds and ends sessions.

    Args:
        world: the company with the users.
        sessions: the open sessions.
        clock: for the errors that carry a time.
    """

    def __init__(self, world: World, sessions: SessionTable, clock: Clock) -> None:
        self._world = world
        self._sessions = sessions
        self._clock = clock

    def login(self, call: Call, body: bytes) -> SlReply:
        """Handle `POST /login`: always 200, with two cookies on success."""
        fields = _object(body)
        if fields is None:
            return replies.not_simulated("a login that is no JSON object")
        if "AccessToken" in fields:
            return replies.not_simulated("logins by access token")
        needed, instance = self._world.switches.report_db_instance, fields.get("DBInstance")
        if needed and not instance:
            return replies.login_failed(_INSTANCE_NEEDED)
        company, user, password = (
            str(fields.get(name, "")) for name in ("CompanyDB", "UserName", "Password")
        )
        try:
            name = users.authenticate(self._world.company, company, user, password)
        except SlError:
            return replies.login_failed(_LOGIN_FAILED)
        if needed and instance != needed:
            return replies.login_failed(_LOGIN_FAILED)
        session = self._sessions.open(name, None)
        call.user, call.worked = name, True
        reply = replies.compact_reply({"Version": "0.0.1", "SessionTimeout": _SESSION_TIMEOUT})
        # Two cookies with one value and without a path. A cookie jar returns them over https only. (Notes of
        # a client's author, whose recording also has the header CompanyID.)
        cookies = (f"{name}={session.session_id}; Secure; HttpOnly" for name in ("Session", "Cookie"))
        return reply.with_headers(("CompanyID", "1"), *(("Set-Cookie", cookie) for cookie in cookies))

    def logout(self, call: Call, body: bytes, cookies: Mapping[str, str]) -> SlReply:
        """Handle `POST /logout`: the session ends, even if the response is an error.

        The 400 and its body are from a recording, the 415 from the same author's notes, the 200 from SAP's
        guide.
        """
        session = self.find(cookies)
        if session is not None:
            self._sessions.end(session)
            call.user, call.worked = session.user, True
        if not self._world.switches.report_logout_fails:
            message = {"lang": "en-us", "value": "User logged out."}
            return replies.compact_reply({"code": 200, "message": message})
        status = 400 if body else 415
        return replies.spring_error(status, _LOGOUT, self._clock.now())

    def find(self, cookies: Mapping[str, str]) -> Session | None:
        """Return the session named by both cookies and count the use, or None without one."""
        try:
            session = self._sessions.use(cookies.get("Session"))
        except SlError:
            return None
        return session if cookies.get("Cookie") == session.session_id else None

    def admit(self, cookies: Mapping[str, str], expire: ExpireSession | None) -> Session | None:
        """Return the session of a call, or None without one, or if a fault ends it first."""
        session = self.find(cookies)
        if expire is None:
            return session
        if expire.everyone:
            self._sessions.end_all()
        elif session is not None:
            self._sessions.end(session)
        return None


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

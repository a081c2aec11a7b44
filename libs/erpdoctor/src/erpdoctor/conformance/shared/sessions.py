"""Questions about login, session and balancer."""

from typing import Final

from erpclient.http.calls import PROBE_CALL, Call
from erpclient.http.cookies import ROUTE_COOKIE, SESSION_COOKIE, find_cookie
from erpclient.odata import Dialect
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import Question, question, questions_in
from erpdoctor.conformance.readings import either, fields, refusal, status

_ANY_READ: Final = PROBE_CALL
_NO_SET: Final = Call("GET", "ConformanceNoSuchSet", "/ConformanceNoSuchSet")


@question(
    "Does a login answer with the cookie `B1SESSION`?",
    expected="cookie",
    source="SAP's manual of the Service Layer 1.22, 3.1",
    breaks="the session is read from the body instead; without both, no login works",
    switches=("other_habits=no-session-cookie",),
)
async def _login_gives_a_cookie(fixture: Fixture) -> str:
    return either(find_cookie(fixture.session.login.set_cookies, SESSION_COOKIE), "cookie", "none")


@question(
    "Does the session's cookie have only `HttpOnly` and no path?",
    expected="HttpOnly",
    source="seen on a real system; newer builds may add more",
    breaks="no effect: the client reads and sends the cookie itself",
    switches=(
        "secure_cookies=true",
        "other_habits=no-session-cookie",
    ),
)
async def _session_cookie_is_bare(fixture: Fixture) -> str:
    headers = [cookie for cookie in fixture.session.login.set_cookies if cookie.startswith(SESSION_COOKIE)]
    names = {piece.partition("=")[0].strip() for cookie in headers for piece in cookie.split(";")[1:]}
    attributes = [name for name in ("HttpOnly", "Path", "Secure", "SameSite") if name in names]
    return "/".join(attributes) or "none"


@question(
    "Is `SessionId` of the login's answer the cookie's value?",
    expected="same",
    source="SAP's manual of the Service Layer 1.22, 3.1",
    breaks="where a proxy takes the cookie away, the login fails",
    switches=(
        "other_habits=no-session-cookie",
        "other_habits=session-not-in-the-body",
    ),
)
async def _session_stands_in_the_body(fixture: Fixture) -> str:
    cookie = find_cookie(fixture.session.login.set_cookies, SESSION_COOKIE)
    return either(fields(fixture.session.login).get("SessionId") == cookie, "same", "other")


@question(
    "Does the balancer name its node in the cookie `ROUTEID`?",
    expected="named",
    source="SAP's manual 1.22, 3.1.1; field notes of an integrator",
    breaks="with several nodes behind a proxy that drops it, writes may die with -1116",
    switches=("other_habits=no-route-cookie",),
)
async def _login_names_a_node(fixture: Fixture) -> str:
    return either(find_cookie(fixture.session.login.set_cookies, ROUTE_COOKIE), "named", "none")


@question(
    "Does the login return the version of the Service Layer, in digits?",
    expected="digits",
    source="captured logins of several builds",
    breaks="`doctor` can't say which feature package answers",
    switches=("other_habits=version-in-words",),
)
async def _login_tells_its_version(fixture: Fixture) -> str:
    return either(str(fields(fixture.session.login).get("Version", "")).isdecimal(), "digits", "other")


@question(
    "Does the login return the session's idle time as a whole number (of minutes)?",
    expected="whole-number",
    source="SAP's manual of the Service Layer 1.22, 3.1",
    breaks="`doctor` can't compare it with the web session's",
    switches=("other_habits=minutes-in-text",),
)
async def _login_tells_minutes(fixture: Fixture) -> str:
    return either(
        isinstance(fields(fixture.session.login).get("SessionTimeout"), int), "whole-number", "other"
    )


@question(
    "Is a session that the ERP does not know refused with 401 and code 301?",
    expected="401/301",
    source="SAP's manual 1.22 and 1.29; captures of many clients",
    breaks="an expired session is not renewed, and every request fails until a restart",
    switches=("other_habits=lost-session-is-403",),
)
async def _lost_session_is_401(fixture: Fixture) -> str:
    return refusal(await fixture.session.send_with(_ANY_READ, f"{SESSION_COOKIE}=conformance-no-session"))


@question(
    "Is the session checked before the path, so that a 401 means that nothing was done?",
    expected="401/301",
    source="seen on a real system by the author of a connector",
    breaks="a write is repeated after a 401 because nothing was done; else it may be done twice",
    switches=(
        "other_habits=address-before-session",
        "other_habits=lost-session-is-403",
    ),
)
async def _session_comes_first(fixture: Fixture) -> str:
    return refusal(await fixture.session.send_with(_NO_SET, None))


@question(
    "Does the session of one version (v1, v2) hold for the other?",
    expected="200",
    source="one session, two service roots: SAP's manual 1.29; unproven in detail",
    breaks="`doctor` can't look at the other version without a second login",
    switches=("other_habits=session-of-one-version",),
)
async def _session_of_both_versions(fixture: Fixture) -> str:
    own = fixture.dialect
    other = Dialect.V1 if own is Dialect.V2 else Dialect.V2
    root = fixture.session.root_path.removesuffix(own.value) + other.value
    return status(await fixture.session.send_to(root, _ANY_READ))


@question(
    "Does `/ping/` answer `pong` without a session?",
    expected="pong",
    source="SAP's manual 1.29, ping pong API",
    breaks="the health route asks for a record instead, which takes a turn of the queue",
    switches=("other_habits=no-ping",),
)
async def _balancer_answers_ping(fixture: Fixture) -> str:
    return either((await fixture.session.ping()).pong, "pong", "other")


_REFUSED_LOGIN_IS_401: Final = Question(
    name="refused-login-is-401",
    asks="Is a refused login a 401 with a code (100000027, or -304 of older builds)?",
    expected="401/100000027",
    source="captured answers; three connectors for -304",
    breaks="a wrong password would look like trouble that passes, and be tried again",
    switches=("wrong_login=sld",),
    unasked="each refused login counts against the ERP user and may lock it",
)


_COMPANY_TROUBLE_IS_305: Final = Question(
    name="company-trouble-is-305",
    asks="Is a company that can't be opened a 500 with code 305 and the DI API's number at the end?",
    expected="500/305",
    source="three connectors that repeat on exactly this",
    breaks="a restart of the ERP would count as a refused password, with its long pause",
    switches=("company_error=-1102",),
    unasked="it can't be brought about from outside",
)


_IDLE_TIME_SLIDES: Final = Question(
    name="idle-time-slides",
    asks="Does using a session move its end?",
    expected="slides",
    source="SAP's manual 1.29, settings; a client library that learnt it the hard way",
    breaks="a busy session would end now and then; it is renewed at the price of one repeated call",
    unasked="it would take half an hour",
)


_SESSION_SERVES_IN_TURN: Final = Question(
    name="session-serves-in-turn",
    asks="Are the calls of one session served one after another, at a price for each that waits?",
    expected="in-turn",
    source="validated by an integrator on Service Layer 1000321",
    breaks="one call at a time would be slower than need be: see `ERP_SL_MAX_CONCURRENCY`",
    switches=("penalty=7",),
    unasked="the suite asks one thing at a time; `doctor` measures it",
)


_WRITE_WITHOUT_A_NODE_FAILS: Final = Question(
    name="write-without-a-node-fails",
    asks="Does a write without `ROUTEID` die on an installation of several nodes?",
    expected="400/-1116",
    source="field notes of an integrator",
    breaks="no effect: the cookie is always sent",
    switches=("route_required=true",),
    unasked="testing it means a write with an unknown outcome",
)


SESSION_QUESTIONS: Final = questions_in(globals())
"""In the order in which they run."""

"""Whatever anybody sends: never a 500, and nothing upstream that was not written by the gateway itself."""

import asyncio
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES, DEFAULT_SERVICE_ACTIONS
from erpsim.simulator import Simulator, run_sim

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

NAMES = [resource.name for resource in DEFAULT_RESOURCES]
SERVICE_ACTIONS = [action.name for action in DEFAULT_SERVICE_ACTIONS]
PEOPLE = ("ana", "luis", None)

SEGMENT = r"(?:[^'/?#%\\ ]|%[0-9A-F]{2}|'')"
KEY = rf"(?:-?[0-9]+|'{SEGMENT}+'|(?:[A-Za-z]+=(?:-?[0-9]+|'{SEGMENT}+'),?)+)"
UPSTREAM = re.compile(
    rf"(?:{'|'.join(NAMES)})(?:\({KEY}\)(?:/Cancel)?)?"
    rf"|{'|'.join(SERVICE_ACTIONS)}|Login|Logout|EmployeesInfo"
)
OPTION = re.compile(r"\$(?:select|filter|orderby|expand|top|skip|inlinecount)=[A-Za-z0-9%_.~-]*")
OWN_HEADERS = {"b1s-pagesize", "b1s-caseinsensitive", "b1s-replacecollectionsonpatch"}

ODD = [
    "..", ".", "%2e%2e", "%2E%2E%2FLogin", "Items('1')", "Items(1)", "$batch", "$crossjoin(Orders,Users)",
    "$metadata", "EmployeesInfo", "employeesinfo", "Users", "Login", "Logout", "SQLQueries",
    "QueryService_PostQuery", "%00", "%0d%0a", "%FF", "%", "%2", "%zz", "%2527", "%27)%2FCancel",
    "1)/Cancel", "12%2FCancel", "A%2F1", "%E2%80%A8", "%EF%BC%87", "٣", "-1", "0", "007", "2147483648",
    "9" * 300, "'", "''", "%27or%201%20eq%201", ";x=1", "?", "#", "*", "null", "ñ",
]  # fmt: skip
QUERIES = [
    "$filter=1 eq 1", "$filter=A eq 1) or (1 eq 1", "$filter=EmployeeInfo/U_WEB_PASS eq 'x'",
    "$expand=EmployeeInfo", "$select=EmployeeInfo/U_WEB_PASS", "$select=*", "$top=0", "$top=9999",
    "$top=٣", "$top=1_0", "$top=5&%24top=9999", "$Top=5", "top=5", "$apply=aggregate(x)", "$skip=-1",
    "$filter=" + "(" * 40, "$filter=A eq 'x' or " * 200, "$filter=A eq " + "9" * 5000,
    "$filter=not " * 100, "$orderby=A,A", "$orderby=U_WEB_PASS", "&&&", "=", "$filter=%FF",
    "$filter=A eq datetime'2024-02-31'", "$filter=A eq '%27%27", "$count=true", "$inlinecount=allpages",
    "x" * 20_000, "$filter=ItemCode eq 'A/1'", "$select=ItemCode&$top=1",
]  # fmt: skip
HEADERS = [
    ("Authorization", "Bearer x"), ("Authorization", "Basic YTpi"), ("X-HTTP-Method-Override", "DELETE"),
    ("Prefer", "odata.maxpagesize=0"), ("B1S-PageSize", "0"), ("B1S-Schema", "x"),
    ("B1S-ReplaceCollectionsOnPatch", "true"),
    ("If-Match", 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'), ("If-Match", '"x"'), ("If-Match", "*"),
    ("Cookie", "B1SESSION=x; ROUTEID=.node1"), ("Content-Type", "text/plain"),
    ("Content-Type", "application/json"), ("X-Request-ID", "a\tb"), ("X-Request-ID", "x" * 200),
    ("traceparent", "00-zz"), ("X-Forwarded-For", "1.2.3.4"), ("Accept", "text/html"),
    ("Expect", "100-continue"), ("Content-Length", "abc"), ("Content-Length", "99999999999"),
]  # fmt: skip
BODIES = [
    b"", b"{}", b"[]", b"null", b"{", b'{"A":NaN}', b'{"A":1,"A":2}', b"\xff\xfe", b'{"U_WEB_PASS":"x"}',
    b'{"paths":["*"]}', b'{"paths":["/*","//",".."]}', b'{"username":"ana","password":"ana-demo"}',
    b'{"username":{},"password":[]}',
    b'{"CardCode":"C00001","DocumentLines":[{"ItemCode":"A/1","Quantity":1}]}',
    b'{"A":' * 500 + b"1" + b"}" * 500, b'{"screen":"/x","code":"y","docEntry":1}',
    b'{"a":"' + b"x" * 100_000 + b'"}', b'{"\\ud800":1}', b"[" * 60_000,
]  # fmt: skip

odd_text = st.text(max_size=12).map(
    lambda text: "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))
)
segments = st.sampled_from(ODD) | st.sampled_from(NAMES) | st.sampled_from(SERVICE_ACTIONS) | odd_text
prefixes = st.sampled_from(
    ["/api/sl", "/api/sl", "/api/sl", "/api/permissions", "/api/gateway/registry", "/api/erpdb/queries",
     "/api/audit", "/api/auth/login", "/api/auth/me", "/api/user/menu", "/api/gateway/documents",
     "/api/gateway/documents/export", "/api/html-reports", "/api/writes", "/api", "", "/API/SL",
     "//api/sl"]
)  # fmt: skip
paths = st.builds(
    lambda prefix, rest: "/".join([prefix, *rest]), prefixes, st.lists(segments, max_size=4)
).map(lambda path: path if path.startswith("/") else f"/{path}")
queries = st.just("") | st.lists(st.sampled_from(QUERIES) | odd_text, max_size=3).map("&".join)
headers = st.lists(st.sampled_from(HEADERS), max_size=3)
bodies = st.sampled_from(BODIES) | st.binary(max_size=50)
methods = st.sampled_from(
    ["GET", "GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "LOCK", "get"]
)


class Attacked:
    """The application with three people, asked with raw bytes so that no client library tidies up."""

    def __init__(self, runner: asyncio.Runner, gateway: "Gateway", sim: Simulator) -> None:
        self._runner = runner
        self._gateway = gateway
        self.sim = sim
        self.tokens: dict[str | None, str] = {}
        self.renew()

    def renew(self) -> None:
        """Sign the two users in (again)."""
        for user in PEOPLE:
            if user is not None:
                self.tokens[user] = self._runner.run(self._gateway.signed_in(user))["Authorization"]

    def ask(
        self, user: str | None, method: str, path: str, query: str, sent: list[tuple[str, str]], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body of the answer."""
        return self._runner.run(self._ask(user, method, path, query, sent, body))

    async def _ask(
        self, user: str | None, method: str, path: str, query: str, sent: list[tuple[str, str]], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        fields = [(name.lower().encode(), value.encode()) for name, value in sent]
        if user is not None:
            fields.append((b"authorization", self.tokens[user].encode()))
        received = [{"type": "http.request", "body": body, "more_body": False}]
        answers: list[Any] = []

        async def receive() -> dict[str, Any]:
            return received.pop() if received else await asyncio.Event().wait()  # type: ignore[return-value]  # never

        async def send(message: Any) -> None:
            answers.append(message)

        raw = path.encode()
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "scheme": "http",
            "path": path, "raw_path": raw, "query_string": query.encode(), "headers": fields,
            "client": ("10.0.0.66", 5), "server": ("gateway", 80),
        }  # fmt: skip
        async with asyncio.timeout(60):
            await self._gateway.app(scope, receive, send)
        start = answers[0]
        heads = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        return start["status"], heads, b"".join(part.get("body", b"") for part in answers[1:])


@pytest.fixture
def attacked(open_gateway: "OpenGateway") -> Iterator[Attacked]:
    with asyncio.Runner() as runner:
        simulating = run_sim()
        sim = runner.run(simulating.__aenter__())
        opening = open_gateway(sim, ERP_SL_TIMEOUT="10")
        try:
            yield Attacked(runner, runner.run(opening.__aenter__()), sim)
        finally:
            runner.run(opening.__aexit__(None, None, None))
            runner.run(simulating.__aexit__(None, None, None))


def attack(attacked: Attacked, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(PEOPLE), methods, paths, queries, headers, bodies)
    def send(
        user: str | None, method: str, path: str, query: str, sent: list[tuple[str, str]], body: bytes
    ) -> None:
        observed = attacked.sim.calls.total
        status, heads, content = attacked.ask(user, method, path, query, sent, body)
        assert status != 500, content
        assert status < 600
        if status >= 400:
            problem = json.loads(content)
            assert heads["content-type"] == "application/problem+json"
            assert (problem["status"], problem["message"]) == (status, problem["detail"])
        assert heads["x-content-type-options"] == "nosniff"
        for call in attacked.sim.calls:
            if call.number > observed:
                check_upstream(call.path, call.query, call.headers)

    send()


def check_upstream(path: str, query: str, sent: Any) -> None:
    """Fail unless the call is one that the gateway could have written itself."""
    assert UPSTREAM.fullmatch(path), path
    for option in filter(None, query.split("&")):
        assert OPTION.fullmatch(option), option
    assert "U_WEB_PASS" not in query or path == "EmployeesInfo"
    assert {name for name in sent if name.startswith("b1s-")} <= OWN_HEADERS
    assert sent.get("b1s-pagesize") != "0"
    assert not {"x-http-method-override", "prefer"} & set(sent)
    assert re.fullmatch(r'\*|W/"[!#-~]{1,128}"', sent.get("if-match", "*"))


def test_no_request_gives_a_500_or_reaches_upstream_unchecked(attacked: Attacked) -> None:
    attack(attacked, 400)


@pytest.mark.proof
@pytest.mark.timeout(1200)
def test_no_request_of_many_gives_a_500_or_reaches_upstream_unchecked(attacked: Attacked) -> None:
    attack(attacked, 20_000)


def test_employee_passwords_appear_in_no_response(attacked: Attacked) -> None:
    passwords = (b"ana-demo", b"luis-demo", b"carmen-demo", b"$argon2")
    for query in QUERIES:
        for path in ("Items", "Warehouses", "BusinessPartners", "Orders", "EmployeesInfo", "SalesPersons"):
            _, _, content = attacked.ask("ana", "GET", f"/api/sl/{path}", query, [], b"")
            assert not any(password in content for password in passwords)

"""Steps of two gateways on PostgreSQL behind nginx: killed, stopped, upgraded and restored while
people work.
"""

import contextlib
import io
import time
from functools import partial
from itertools import count

from demo.client import Client
from demo.company import add_trace_field, lose_next_answer
from demo.steps import STEPS
from demo.tour import Step, Tour, run_steps
from stack.company import COMPANY, ERP_PASSWORD, ERP_USER
from stack.exchange import exchange
from stack.existing import trusting_anybody

from tools.images_check.containers import NEW, OLD, StepFailed, demand
from tools.images_check.ordinary import bounded
from tools.images_check.pair_installation import GATEWAYS, RETURNS, Pair
from tools.images_check.people import READ, Seen, people_at_work

TAKEOVER_S = 30.0
"""Limit after a kill: ten times the value in docs/measurements.md#takeover."""
HANDOVER_S = 10.0
"""Limit after a stop: ten times the value there."""
GRANTED = ["/ventas/pedidos/*", "/socios"]
_SPOKEN = "import socket; socket.create_connection(('127.0.0.1', 3000), 2)"
_numbers = count(1)


def pair_start(book: Pair) -> None:
    """Start two gateways: one serves, the other waits without a port. Both are restricted, and metrics stay
    inside.
    """
    book.stand_in()
    book.up()
    add_trace_field(book.erpsim_port, trusting_anybody())
    _, waits = book.who_serves()
    try:
        book.compose("exec", "-T", waits, "python", "-c", _SPOKEN)
    except StepFailed as error:
        demand(holds="refused" in str(error), what=str(error))
    else:
        raise StepFailed(f"{waits} has a port although it waits")
    for service in (*GATEWAYS, *RETURNS, "postgres", "nginx"):
        bounded(book, service)
        published = [port for port, at in book.container(service)["NetworkSettings"]["Ports"].items() if at]
        wanted = ["8080/tcp", "8081/tcp"] if service == "nginx" else []
        demand(holds=sorted(published) == wanted, what=f"{service}: {published}")
    for path in ("/metrics", "/ready", "/api/metrics", "/api/ready", "/devoluciones/metrics"):
        answer = book.ask("GET", path)
        demand(holds=answer.status in (401, 404), what=f"{path} is answered {answer.status}")


def pair_tour(book: Pair) -> None:
    """Kill the serving gateway in the middle of the tour: the other one takes over, and sessions continue."""
    half = len(STEPS) // 2
    killing = _Killing(book)
    steps: tuple[Step, ...] = (*STEPS[:half], killing, *STEPS[half:])
    tour = Tour(
        Client(book.port),
        Client(book.place.returns_origin),
        book.folder / "tour",
        partial(lose_next_answer, book.place.control),
        is_live=False,
    )
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        failed = run_steps(steps, tour, narrated=True)
    demand(holds=not failed, what=output.getvalue()[-6000:])
    print(f"     {output.getvalue().strip().splitlines()[-1]} {killing.told}", flush=True)


class _Killing:
    NAME = "killed"
    TITLE = (
        "The gateway that serves is killed while people read; the other one serves, and all are signed in."
    )

    def __init__(self, book: Pair) -> None:
        self._book = book
        self.told = ""

    def run(self, tour: Tour) -> None:
        """Kill it, wait for the other one, and count the delayed requests."""
        serves, waits = self._book.who_serves()
        token = tour.token("ana")
        logins = _logins(self._book)
        with people_at_work(self._book, token, []) as people:
            time.sleep(1)
            self._book.kill(serves)
            _until_served(self._book, token)
            time.sleep(1)
        refused = dict(people.refused())
        self.told = (
            f"{waits} served {people.gap_s():.1f} s after {serves} was killed; refused meanwhile: {refused}"
        )
        tour.demand(holds="session_expired" not in refused, what=self.told)
        tour.demand(holds=people.gap_s() <= TAKEOVER_S, what=self.told)
        tour.demand(holds=_state_becomes(self._book, serves, "standby"), what=f"{serves} does not wait")
        tour.demand(holds=_logins(self._book) == logins + 1, what="there was more than one login to the ERP")


def pair_handover(book: Pair) -> None:
    """Stop the serving gateway while people read and write: nothing is aborted, created twice or lost."""
    token = book.sign_in("ana")
    for _ in GATEWAYS:
        serves, waits = book.who_serves()
        orders = _orders(book, token, 2_000)
        with people_at_work(book, token, orders) as people:
            time.sleep(1)
            book.compose("stop", serves)
            _until_served(book, token)
            time.sleep(1)
        code = book.ended_with(serves)
        demand(holds=code == 0, what=f"{serves} ended with {code}")
        demand(holds=book.state(waits) == "serving", what=f"{waits} does not serve")
        people.nobody_noticed(within_s=HANDOVER_S)
        _made_once(book, orders, people)
        _tell(f"{serves} stopped, {waits} serves", people)
        book.compose("start", serves)
        demand(holds=_state_becomes(book, serves, "standby"), what=f"{serves} does not wait")


def pair_upgrade(book: Pair) -> None:
    """Upgrade and downgrade one container after the other while people read and write."""
    token = book.sign_in("ana")
    for tag in (NEW, OLD):
        orders = _orders(book, token, 5_000)
        with people_at_work(book, token, orders) as people:
            for gateway in reversed(GATEWAYS):
                book.take_anew(gateway, tag=tag)
                _until_served(book, token)
        for gateway in GATEWAYS:
            image = book.container(gateway)["Config"]["Image"]
            demand(holds=image == f"erp-gateway:{tag}", what=f"{image} runs")
        people.nobody_noticed(within_s=HANDOVER_S)
        _made_once(book, orders, people)
        _tell(f"both at {tag}", people)


def pair_database(book: Pair) -> None:
    """Restart PostgreSQL while people read: one of the two gets the lock again, and sessions continue."""
    token = book.sign_in("ana")
    before, _ = book.who_serves()
    with people_at_work(book, token, []) as people:
        book.compose("restart", "postgres")
        time.sleep(2)
        _until_served(book, token)
    _settled(book)
    people.nobody_noticed(within_s=TAKEOVER_S)
    granted = book.ask("PUT", "/api/permissions/luis", {"paths": GRANTED}, token=token)
    demand(holds=granted.status == 200, what=f"permissions: {granted.content[:200]!r}")
    after, _ = book.who_serves()
    _tell(f"PostgreSQL restarted, {before} served and {after} serves", people)


def pair_restore(book: Pair) -> None:
    """Dump, delete and restore the store: permissions and audit are the same, sessions are gone."""
    token = book.sign_in("ana")
    before = book.audit_total()
    dump = book.folder / "gateway.dump"
    with dump.open("wb") as into:
        book.stream("exec", "-T", "postgres", *_DUMP, stdout=into)
    book.compose("stop", *GATEWAYS)
    book.compose("rm", "--stop", "--force", "postgres")
    book.run("docker", "volume", "rm", f"{book.place.project}_store")
    book.compose("up", "--detach", "--no-deps", "--wait", "postgres")
    with dump.open("rb") as out_of:
        book.stream("exec", "-T", "postgres", *_RESTORE, stdin=out_of)
    book.compose("exec", "-T", "postgres", *_FORGET)
    book.up()
    serves, _ = book.who_serves()
    book.compose("exec", "-T", serves, "erp-gateway", "audit", "verify")
    gone = book.ask("GET", READ, token=token)
    demand(holds=(gone.status, gone.code) == (401, "session_expired"), what=f"{gone.status} {gone.code}")
    after = book.audit_total()
    demand(holds=after >= before, what=f"{before} audit records became {after}")
    paths = book.ask("GET", "/api/permissions/luis", token=book.sign_in("ana")).body
    demand(holds=GRANTED[0] in str(paths), what=f"luis has {paths}")


_OWNER = ("--username=gateway", "--dbname=gateway")
_DUMP = ("pg_dump", "--format=custom", "--no-owner", "--no-acl", *_OWNER)
_RESTORE = ("pg_restore", "--no-owner", "--exit-on-error", "--single-transaction", *_OWNER)
_FORGET = ("psql", "--quiet", *_OWNER, "--command=DELETE FROM web_session")


def _orders(book: Pair, token: str, most: int) -> list[dict[str, object]]:
    """Return orders of the demo's customer, all with a remark of their own."""
    query = "/api/sl/BusinessPartners?$select=CardCode&$filter=CardType%20eq%20%27cCustomer%27&$top=1"
    customer = book.ask("GET", query, token=token).body["value"][0]["CardCode"]
    query = "/api/sl/Items?$select=ItemCode&$filter=SalesItem%20eq%20%27tYES%27&$top=1"
    item = book.ask("GET", query, token=token).body["value"][0]["ItemCode"]
    remark = f"Relevo {next(_numbers)}"
    lines = [{"ItemCode": item, "Quantity": 1}]
    order = {"CardCode": customer, "DocDueDate": "2030-12-31", "Comments": remark, "DocumentLines": lines}
    return [order] * most


def _made_once(book: Pair, orders: list[dict[str, object]], seen: Seen) -> None:
    """Check that the ERP has as many of these orders as the clients saw created."""
    erp = partial(exchange, book.erpsim_port, tls=trusting_anybody())
    login = erp(
        "POST", "/b1s/v1/Login", {"CompanyDB": COMPANY, "UserName": ERP_USER, "Password": ERP_PASSWORD}
    )
    session = {"Cookie": f"B1SESSION={login.body['SessionId']}"}
    remark = str(orders[0]["Comments"]).replace(" ", "%20")
    path = f"/b1s/v1/Orders/$count?$filter=Comments%20eq%20%27{remark}%27"
    made = int(erp("GET", path, headers=session).content)
    erp("POST", "/b1s/v1/Logout", headers=session)
    demand(holds=made == seen.made() > 0, what=f"{seen.made()} orders were confirmed, {made} are there")


def _until_served(book: Pair, token: str) -> None:
    end = time.monotonic() + TAKEOVER_S
    while book.ask("GET", READ, token=token).status != 200:
        demand(holds=time.monotonic() < end, what=f"nobody serves after {TAKEOVER_S:g} s")
        time.sleep(0.05)


def _settled(book: Pair) -> None:
    """Wait until one serves and the other waits. A gateway that lost the lock is restarted."""
    end = time.monotonic() + TAKEOVER_S
    while sorted(book.state(gateway) for gateway in GATEWAYS) != ["serving", "standby"]:
        demand(holds=time.monotonic() < end, what=f"they have not settled after {TAKEOVER_S:g} s")


def _state_becomes(book: Pair, gateway: str, state: str) -> bool:
    end = time.monotonic() + TAKEOVER_S
    while time.monotonic() < end:
        if book.state(gateway) == state:
            return True
        time.sleep(0.5)
    return False


def _logins(book: Pair) -> int:
    calls = book.control("GET", "/calls?method=POST&path=Login")["calls"]
    return len(calls)


def _tell(what: str, seen: Seen) -> None:
    refused = dict(seen.refused()) or "none"
    print(
        f"     {what}: {len(seen.answers)} requests, {seen.made()} orders; refused: {refused}; "
        f"longest time without an answer {seen.gap_s():.2f} s",
        flush=True,
    )

"""Twenty people open the same page of a web application on an ERP that serves one call at a time.

A page reads six small reference lists, and a list and a record of its own, all at once like a browser. The
stub takes 50 ms for a call, and one second more for a call that finds it busy. Users come within 30 s, or all
at the same moment. The gateway's memory is empty, or a user has opened the page before.
"""

import asyncio
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import frozen

from bench import servers
from bench.load import get_request
from bench.queries import list_path

PEOPLE = 20
SPREAD_S = 30.0
LATENCY_S = 0.05
PENALTY_S = 1.0
ROUNDS = 3
NAIVE = "naive proxy"
_REFERENCE = ("Warehouses", "PriceLists", "Currencies", "PaymentTermsTypes", "SalesPersons", "ItemGroups")
# One more than are measured: the user who has opened the page before.
_WEB_USERS = tuple(f"bench{number:02d}" for number in range(PEOPLE + 1))


@frozen
class Opening:
    """Results of opening the page; medians over the rounds.

    Attributes:
        server: name of the server.
        spread: whether users came within 30 s instead of at the same moment.
        warm: whether the page had been opened before.
        calls: reads that reached the ERP.
        slowed: reads that found the ERP busy.
        page_s: time until a page was complete, median of all users.
        last_s: time until the last page was complete.
        last_spread_s: difference between the fastest and the slowest round.
        rounds: number of rounds.
    """

    server: str
    spread: bool
    warm: bool
    calls: int
    slowed: int
    page_s: float
    last_s: float
    last_spread_s: float
    rounds: int

    @property
    def how(self) -> str:
        """Server and arrival of the users, in words."""
        return self.server if self.server == NAIVE else f"{self.server}, {_words(self.spread, self.warm)}"

    @property
    def perfect_s(self) -> float:
        """Time of the last response if the ERP served these calls without a pause."""
        calls = self.calls / PEOPLE if self.spread else self.calls
        return calls * LATENCY_S


@frozen
class _Round:
    calls: int
    slowed: int
    pages_s: tuple[float, ...]


def measure(folder: Path, *, say: Callable[[str], None]) -> list[Opening]:
    """Measure every way of opening the page. Long ones run once, the others in rounds, each on a new
    gateway.
    """
    own = folder / "page"
    own.mkdir()
    found: dict[tuple[bool, bool], list[_Round]] = {}
    with servers.upstream_stub(own, latency_s=LATENCY_S, penalty_s=PENALTY_S, free=1, serial=True) as stub:
        for number in range(ROUNDS):
            for spread, warm in ((False, False), (False, True), (True, False), (True, True)):
                if spread and number:
                    continue
                place = own / f"{number}-{spread}-{warm}"
                place.mkdir()
                found.setdefault((spread, warm), []).append(_through_gateway(place, stub, spread, warm))
                say(f"page: round {number + 1}, {_words(spread, warm)} measured")
        openings = [_opening("erp-gateway", *how, rounds) for how, rounds in found.items()]
        with servers.bare_proxy(own, stub.port) as naive:
            servers.stub_tally(stub)
            pages = [_page(number, None) for number in range(PEOPLE)]
            openings.append(
                _opening(NAIVE, False, False, [_tallied(stub, asyncio.run(_open(naive.port, pages, 0.0)))])
            )
    return openings


def _through_gateway(folder: Path, stub: servers.Server, spread: bool, warm: bool) -> _Round:
    with servers.gateway(folder, stub.port, concurrency=1, web_users=_WEB_USERS) as (gateway, tokens):
        *people, before = [_page(number, tokens[name]) for number, name in enumerate(_WEB_USERS)]
        if warm:
            asyncio.run(_open(gateway.port, [before], 0.0))
        servers.stub_tally(stub)
        return _tallied(stub, asyncio.run(_open(gateway.port, people, SPREAD_S if spread else 0.0)))


def _tallied(stub: servers.Server, pages_s: Sequence[float]) -> _Round:
    tally = servers.stub_tally(stub)
    return _Round(tally["reads"], tally["slowed"], tuple(pages_s))


def _page(number: int, token: str | None) -> list[bytes]:
    """Return the requests of one person's page; the naive proxy's clients write the record's key as OData."""
    record = f"C{number:05d}" if token else f"BusinessPartners('C{number:05d}')"
    paths = [f"/api/sl/{name}" for name in _REFERENCE]
    paths += [list_path(number, select=False), f"/api/sl/{'BusinessPartners/' if token else ''}{record}"]
    return [get_request(path, token=token) for path in paths]


async def _open(port: int, pages: Sequence[list[bytes]], within_s: float) -> list[float]:
    """Open all pages and return the seconds that each of them took."""
    pause_s = within_s / len(pages)
    return await asyncio.gather(
        *(_open_page(port, page, number * pause_s) for number, page in enumerate(pages))
    )


async def _open_page(port: int, requests: Sequence[bytes], after_s: float) -> float:
    await asyncio.sleep(after_s)
    started = time.perf_counter()
    await asyncio.gather(*(_ask(port, request) for request in requests))
    return time.perf_counter() - started


async def _ask(port: int, request: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"{request.split()[1].decode()}: {head.splitlines()[0].decode()}")
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
        await reader.readexactly(int(length))
    finally:
        writer.close()


def _opening(server: str, spread: bool, warm: bool, rounds: Sequence[_Round]) -> Opening:
    last_s = [max(each.pages_s) for each in rounds]
    return Opening(
        server=server,
        spread=spread,
        warm=warm,
        calls=int(statistics.median_high(each.calls for each in rounds)),
        slowed=int(statistics.median_high(each.slowed for each in rounds)),
        page_s=statistics.median(seconds for each in rounds for seconds in each.pages_s),
        last_s=statistics.median(last_s),
        last_spread_s=max(last_s) - min(last_s),
        rounds=len(rounds),
    )


def _words(spread: bool, warm: bool) -> str:
    return f"{'spread over 30 s' if spread else 'at once'}, memory {'warm' if warm else 'cold'}"


def table(openings: Sequence[Opening]) -> list[str]:
    """Return the table of all openings, with the ideal time of each one's calls."""
    head = (
        f"{'20 people open a page':<44}{'calls':>7}{'slowed':>8}{'page s':>9}{'last s':>9}{'spread':>8}"
        f"{'perfect s':>11}{'last/perfect':>14}"
    )
    rows = [
        f"{each.how:<44}{each.calls:>7}{each.slowed:>8}{each.page_s:>9.2f}{each.last_s:>9.2f}"
        f"{each.last_spread_s:>8.2f}{each.perfect_s:>11.2f}{each.last_s / each.perfect_s:>14.2f}"
        for each in openings
    ]
    return [head, *rows]

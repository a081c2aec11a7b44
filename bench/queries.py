"""The requests that are measured: a validated list of 50 business partners, each query unlike all others."""

import itertools
from collections.abc import Iterator

from bench.load import get_request

_SELECT = "CardCode,CardName,GroupCode,CurrentAccountBalance"
_serial = itertools.count()


def list_path(number: int, *, select: bool = True) -> str:
    """Return the path of a list; every `number` gives another query.

    Without `select` the gateway has nothing to take out of the rows; with it each row loses the version that
    makes its entity tag true.
    """
    chosen = f"$select={_SELECT}&" if select else ""
    condition = f"CardType%20eq%20%27cCustomer%27%20and%20CardCode%20ge%20%27C{number:08d}%27"
    return f"/api/sl/BusinessPartners?{chosen}$filter={condition}&$orderby=CardCode&$top=50"


def different_lists(count: int, *, token: str | None, select: bool = True) -> Iterator[bytes]:
    """Yield so many requests, all unlike each other and unlike any yielded before in this process."""
    for number in itertools.islice(_serial, count):
        yield get_request(list_path(number, select=select), token=token)

"""The measured requests: lists of partners with unique queries, and orders."""

import itertools
import json
from collections.abc import Iterator

from bench.load import get_request, post_request

_SELECT = "CardCode,CardName,GroupCode,CurrentAccountBalance"
ORDER = json.dumps({"CardCode": "C1", "DocumentLines": [{"ItemCode": "A1", "Quantity": 1}]}).encode()
_serial = itertools.count()


def list_path(number: int, *, select: bool = True, rows: int = 50) -> str:
    """Return the path of a list; every `number` gives another query.

    Without `select` the gateway has nothing to take out of the rows; with it each row loses the version that
    makes its entity tag true.
    """
    chosen = f"$select={_SELECT}&" if select else ""
    condition = f"CardType%20eq%20%27cCustomer%27%20and%20CardCode%20ge%20%27C{number:08d}%27"
    return f"/api/sl/BusinessPartners?{chosen}$filter={condition}&$orderby=CardCode&$top={rows}"


def different_lists(count: int, *, token: str | None, select: bool = True, rows: int = 50) -> Iterator[bytes]:
    """Yield so many requests, all unlike each other and unlike any yielded before in this process."""
    for number in itertools.islice(_serial, count):
        yield get_request(list_path(number, select=select, rows=rows), token=token)


def orders(count: int, *, token: str | None) -> Iterator[bytes]:
    """Yield so many requests that create an order."""
    yield from itertools.repeat(post_request("/api/sl/Orders", ORDER, token=token), count)

"""Cross-joins of the query service: rows of lines with a condition, which lists can't have."""

from collections.abc import Iterable
from typing import Final

import msgspec
from attrs import frozen

from erpclient.http.calls import Call

QUERY_SERVICE: Final = "QueryService_PostQuery"


@frozen
class JoinedPath:
    """One entity set or collection of a cross-join.

    Attributes:
        path: ``Orders`` or ``Orders/DocumentLines``.
        select: properties to read; empty if only the condition needs it.
    """

    path: str
    select: tuple[str, ...] = ()


@frozen
class CrossJoin:
    """A read of the query service (SAP manual 1.22, section 3.7.10).

    Each row is an object with a member for each path that selects something, named by the path. Rows of a
    collection are joined to their record by the condition alone.

    Attributes:
        paths: what is joined; at least one selects something.
        filter: condition in names with their path, not percent-encoded; its literals are the program's own.
        top: maximum number of rows.
    """

    paths: tuple[JoinedPath, ...]
    filter: str
    top: int

    def to_call(self) -> Call:
        """Write the read as a call: a POST that changes nothing."""
        path = f"$crossjoin({_joined(each.path for each in self.paths)})"
        expand = _joined(f"{each.path}($select={_joined(each.select)})" for each in self.paths if each.select)
        # The options are one text in the body, without percent-encoding.
        body = {"QueryPath": path, "QueryOption": f"$expand={expand}&$filter={self.filter}"}
        headers = {"B1S-PageSize": str(self.top)}
        return Call("POST", QUERY_SERVICE, f"/{QUERY_SERVICE}", headers, msgspec.json.encode(body))


def _joined(names: Iterable[str]) -> str:
    return ",".join(names)

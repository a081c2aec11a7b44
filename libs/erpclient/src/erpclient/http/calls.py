"""Calls of the Service Layer as values."""

from functools import lru_cache
from typing import Final
from urllib.parse import quote

import msgspec
from attrs import field, frozen

from erpclient.http.messages import Sink, StreamedBody


@frozen
class Call:
    """One request to the Service Layer; the sender adds session and caller.

    Attributes:
        method: HTTP method.
        resource: entity set or service action, for metrics and logs; never a key.
        path: path and query below the service root, percent-encoded.
        headers: those that belong to this call alone.
        body: JSON, unless the headers name another type; ``None`` for none.
        write: whether it may change data. Only other calls are repeated after a lost connection.
        upload: streamed instead of a body in memory.
        sink: receives the body of a file reply.
    """

    method: str
    resource: str
    path: str
    headers: dict[str, str] = field(factory=dict)
    body: bytes | None = field(default=None, repr=False)
    write: bool = False
    upload: StreamedBody | None = field(default=None, repr=False)
    sink: Sink | None = field(default=None, repr=False)


def list_call(resource: str, options: str, *, page_size: int, case_insensitive: bool) -> Call:
    """Read a page.

    Args:
        resource: entity set.
        options: encoded query string.
        page_size: as ``$top``; without it the Service Layer returns 20 rows for any ``$top``
            (SAP manual 1.22 section 3.7).
        case_insensitive: by default HANA compares with case (section 3.19.5.4).
    """
    headers = {"B1S-PageSize": str(page_size)}
    if case_insensitive:
        headers["B1S-CaseInsensitive"] = "true"
    return Call("GET", resource, f"/{_segment(resource)}?{options}", headers)


def record_call(resource: str, key_predicate: str, options: str) -> Call:
    """Read one record by its key."""
    query = f"?{options}" if options else ""
    return Call("GET", resource, f"/{_segment(resource)}{key_predicate}{query}")


def key_filter_call(resource: str, options: str) -> Call:
    """Read one record as a list that its key filters."""
    return Call("GET", resource, f"/{_segment(resource)}?{options}")


def create_call(resource: str, body: bytes) -> Call:
    """Create a record."""
    return Call("POST", resource, f"/{_segment(resource)}", body=body, write=True)


def modify_call(
    resource: str, key_predicate: str, body: bytes, *, if_match: str | None, replace_collections: bool
) -> Call:
    """Change properties of a record."""
    headers = _if_match(if_match)
    if replace_collections:
        headers["B1S-ReplaceCollectionsOnPatch"] = "true"
    return Call("PATCH", resource, f"/{_segment(resource)}{key_predicate}", headers, body, write=True)


def action_call(resource: str, key_predicate: str, action: str, body: bytes, *, if_match: str | None) -> Call:
    """Run an action on a record."""
    path = f"/{_segment(resource)}{key_predicate}/{_segment(action)}"
    return Call("POST", resource, path, _if_match(if_match), body or None, write=True)


def service_call(name: str, body: bytes, *, write: bool) -> Call:
    """Run an action of a service."""
    return Call("POST", name, f"/{_segment(name)}", body=body or None, write=write)


def query_call(code: str, parameters: str, *, page_size: int) -> Call:
    """Build the call of a stored query (SAP manual 1.29, SQL queries): a POST that changes nothing.

    Args:
        code: key of the query.
        parameters: as :func:`erpclient.stored_queries.query_parameters` writes them.
        page_size: maximum number of rows; 20 by default.
    """
    key = quote(f"'{code.replace(chr(39), chr(39) * 2)}'", safe="'")
    body = msgspec.json.encode({"ParamList": parameters}) if parameters else b"{}"
    headers = {"Prefer": f"odata.maxpagesize={page_size}"}
    return Call("POST", "SQLQueries", f"/SQLQueries({key})/List", headers, body)


METADATA_CALL: Final = Call("GET", "$metadata", "/$metadata", {"Accept": "application/xml"})
"""Reads the Service Layer's metadata, some megabytes of XML."""

PROBE_CALL: Final = Call("GET", "probe", "/Warehouses?$select=WarehouseCode&$top=1", {"B1S-PageSize": "1"})
"""Reads a record that exists in every company. A refusal for lack of rights is a reply as well."""


def _if_match(tag: str | None) -> dict[str, str]:
    return {} if tag is None else {"If-Match": tag}


@lru_cache(maxsize=1024)
def _segment(name: str) -> str:
    return quote(name, safe="")

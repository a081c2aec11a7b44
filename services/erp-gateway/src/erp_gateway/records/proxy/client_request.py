"""A client's request as the policy sees it."""

from collections.abc import Callable
from typing import TypeAlias

from attrs import frozen

from erp_gateway.records.proxy.client_headers import ClientHeaders

Allows: TypeAlias = Callable[[str], bool]
"""Returns whether the caller's permissions cover a menu route."""


@frozen(kw_only=True)
class ClientRequest:
    """The parts of a request that the policy decides about.

    Attributes:
        name: of a resource or service action.
        key: of a record, decoded; empty where the path has none.
        action: of a record; empty where the path has none.
        query: the query string, still encoded.
        headers: the headers that the proxy reads.
        allows: whether the caller's permissions cover a menu route.
    """

    name: str
    key: str = ""
    action: str = ""
    query: bytes
    headers: ClientHeaders
    allows: Allows

"""Cookies exactly as seen on the wire, and parsing of the client's cookies."""

from __future__ import annotations

import re

_ROUTE = re.compile(r"\.node([1-9][0-9]*)")


def session_cookie(session_id: str, *, secure: bool) -> str:
    """Return the `Set-Cookie` value of a login.

    No `Path` and a dangling semicolon: seen live, strict cookie jars lose it. Newer builds add `Secure` and
    `SameSite` (a field report).
    """
    return f"B1SESSION={session_id};HttpOnly;" + (" Secure; SameSite=None" if secure else "")


def route_cookie(node: int, *, secure: bool) -> str:
    """Return the `Set-Cookie` value of the balancer (SAP manual 1.22, section 3.1)."""
    return f"ROUTEID=.node{node}; path=/b1s" + ("; Secure; SameSite=None" if secure else "")


def read_cookies(header: str | None) -> dict[str, str]:
    """Read a `Cookie` header; of a repeated name the first counts, as with most web servers."""
    cookies: dict[str, str] = {}
    for piece in (header or "").split(";"):
        name, equals, value = piece.strip().partition("=")
        if equals:
            cookies.setdefault(name.strip(), value.strip())
    return cookies


def read_node(value: str | None, nodes: int) -> int | None:
    """Return the node number a `ROUTEID` names, None when it names no node of this cluster."""
    match = _ROUTE.fullmatch(value or "")
    if match is None:
        return None
    node = int(match[1])
    return node if node <= nodes else None

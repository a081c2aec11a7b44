"""The web server in front of the Service Layer: pings, its own HTML pages, the empty 500."""

from __future__ import annotations

import re
from datetime import datetime
from http import HTTPStatus
from typing import Final

from erpsim.faults import Answer, BadGateway
from erpsim.service_layer.wire.json_text import render
from erpsim.service_layer.wire.messages import SlReply

SERVER_NAME: Final = "Apache/2.4.43 (Unix)"
_HTML: Final = ("Content-Type", "text/html; charset=iso-8859-1")
_JSON: Final = ("Content-Type", "application/json")
_NODE: Final = re.compile(r"ping/node/([0-9]{1,4})")

_PAGE: Final = """<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">
<html><head>
<title>{title}</title>
</head><body>
<h1>{heading}</h1>
<p>{text}</p>
</body></html>
"""


def html_page(status: int, heading: str, text: str) -> SlReply:
    """Return an HTML page of the web server, which clients must not decode as JSON (seen live)."""
    title = f"{status} {heading}"
    return SlReply(
        status=status,
        headers=(_HTML,),
        body=_PAGE.format(title=title, heading=heading, text=text).encode(),
    )


def bad_gateway() -> SlReply:
    """Return the balancer's 502: a worker died or restarts (seen live; the outcome of a write is unknown)."""
    return html_page(
        502,
        "Proxy Error",
        "The proxy server received an invalid response from an upstream server.<br />",
    )


def in_front(action: Answer | BadGateway) -> SlReply:
    """Return the response of a server in front of the service."""
    match action:
        case BadGateway():
            return bad_gateway()
        case Answer(status=status, content_type=content_type, body=body):
            return SlReply(status=status, headers=(("Content-Type", content_type),), body=body.encode())


def not_found() -> SlReply:
    """Return the web server's own 404: paths outside the service, and `%2F` where the server refuses it."""
    return html_page(404, "Not Found", "The requested URL was not found on this server.")


def bad_request() -> SlReply:
    """Return the web server's own 400, for a percent sign without its two digits."""
    return html_page(400, "Bad Request", "Your browser sent a request that this server could not understand.")


def too_large() -> SlReply:
    """Return the web server's own 413, for a body of more than 50 MiB (seen live)."""
    return html_page(
        413,
        "Request Entity Too Large",
        "The requested resource does not allow request data with the request, or the amount of data exceeds "
        "the capacity limit.",
    )


def empty_500() -> SlReply:
    """Return the response to `Expect: 100-continue`: an empty 500 that closes the connection (reproduced live
    on four nodes).
    """
    return SlReply(status=500, headers=(("DataServiceVersion", "3.0"), ("Connection", "close")))


def is_ping(path: str) -> bool:
    """Return whether a path (without its leading slash) belongs to the pings."""
    return path == "ping" or path.startswith("ping/")


def ping(path: str, nodes: int, now: datetime) -> SlReply:
    """Answer a ping: no session, outside `/b1s` (SAP manual 1.29, 3.21).

    Args:
        path: `ping/`, `ping/load-balancer`, `ping/node`, `ping/node/1`.
        nodes: number of nodes of the cluster.
        now: for the timestamp.
    """
    timestamp = f"{now.timestamp():.3f}"
    match = _NODE.fullmatch(path)
    if match is not None and not 1 <= int(match[1]) <= nodes:
        value = {
            "message": f"node {match[1]} does not exist",
            "sender": "load balancer",
            "timestamp": timestamp,
        }
        return SlReply(status=HTTPStatus.SERVICE_UNAVAILABLE, headers=(_JSON,), body=render(value))
    if match is not None:
        sender = f"node{match[1]}"
    elif path.rstrip("/") == "ping/node":
        sender = "node1"
    elif path.rstrip("/") in {"ping", "ping/load-balancer"}:
        sender = "load balancer"
    else:
        return not_found()
    value = {"message": "pong", "sender": sender, "timestamp": timestamp}
    return SlReply(status=200, headers=(_JSON,), body=render(value))

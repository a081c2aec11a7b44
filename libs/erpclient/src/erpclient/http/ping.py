"""The balancer's ping (SAP manual 1.29, ping pong API)."""

from typing import Final

import msgspec

from erpclient.http.calls import Call
from erpclient.http.decoding import DECODE_ERRORS
from erpclient.http.messages import HttpReply

PING_CALL: Final = Call("GET", "ping", "/ping/")
"""Pings the balancer; its path is outside the service root (SAP manual 1.29, ping pong API)."""


class _Pong(msgspec.Struct):
    message: str


def is_pong(reply: HttpReply) -> bool:
    """Return whether the Service Layer's balancer replied that it is alive."""
    try:
        return msgspec.json.decode(reply.body, type=_Pong).message == "pong"
    except DECODE_ERRORS:
        return False

"""The balancer's ping (SAP manual 1.29, ping pong API)."""

from typing import Final

import msgspec

from erpclient.http.calls import Call
from erpclient.http.decoding import DECODE_ERRORS
from erpclient.http.messages import HttpReply

PING_CALL: Final = Call("GET", "ping", "/ping/")
"""Asks the balancer; it stands outside the service root (SAP manual 1.29, ping pong API)."""


class _Pong(msgspec.Struct):
    message: str


def is_pong(reply: HttpReply) -> bool:
    """Tell whether the Service Layer's balancer answered that it lives."""
    try:
        return msgspec.json.decode(reply.body, type=_Pong).message == "pong"
    except DECODE_ERRORS:
        return False

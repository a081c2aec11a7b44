"""Connections that fail in a way that nobody expects."""

import asyncio
import socket
from typing import Any

import pytest

from servicekit.server.connections import Connections
from servicekit.server.settings import ServerSettings


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("failure", "logged"),
    [(ValueError("torn apart"), [["torn apart"]]), (ConnectionResetError(), [])],
    ids=["unexpected", "the client is merely gone"],
)
async def test_a_failed_connection_is_logged_and_closes_no_other(
    make_app: Any, log_lines: Any, failure: Exception, logged: list[list[str]]
) -> None:
    connections = Connections(make_app(), ServerSettings())
    here, there = socket.socketpair()
    with there:
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.connect_accepted_socket(connections.create_protocol, here)
        assert not await connections.ended(0)
        protocol.connection_lost(failure)
        assert await connections.ended(5)
        transport.abort()
    lines = [line for line in log_lines if line["event"] == "connection_failed"]
    assert [[str(reason) for reason in line["reasons"]] for line in lines] == logged

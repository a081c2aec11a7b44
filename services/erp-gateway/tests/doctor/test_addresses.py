"""A database whose name has two addresses, the first of them silent, is there."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any

import pytest
from attrs import evolve

from erp_gateway.doctor.database import database_target
from erp_gateway.doctor.store_postgresql import PostgresChecks
from erp_gateway.settings.modules import ErpDatabase
from erp_gateway.storage.places import PostgresPlace
from erp_gateway.storage.postgresql.looking import open_look
from erpdoctor.checks import Check
from erpdoctor.database import DatabaseChecks
from erpdoctor.running import run_checks
from servicekit.clock import SystemClock
from servicekit.config.secret import Secret
from servicekit.last_run import Outcome

pytestmark = pytest.mark.asyncio

TWO = "two.example"


@contextmanager
def deaf(port: int) -> Iterator[None]:
    """Keep the queue of connections of a port of 127.0.0.2 full, so that one more attempt hears nothing."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.2", port))
        listener.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.2", port))
        yield


@asynccontextmanager
async def listening_at_the_second_address() -> AsyncIterator[int]:
    """Give the port of a server at the second address of `TWO`, which is silent at its first."""

    async def resolve(host: str, port: int, **_: Any) -> list[Any]:
        assert host == TWO
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in ("127.0.0.2", "127.0.0.1")
        ]

    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with deaf(port):
            asyncio.get_running_loop().getaddrinfo = resolve  # type: ignore[assignment, method-assign]  # DNS
            yield port


async def outcome(checks: tuple[Check, ...], name: str) -> Outcome:
    wanted = [evolve(each, needs=()) for each in checks if each.name == name]
    (result,) = await run_checks(wanted, clock=SystemClock())
    return result.outcome


async def test_the_erps_database_is_reached_at_the_address_that_answers() -> None:
    async with listening_at_the_second_address() as port:
        configured = ErpDatabase(engine="hana", server=TWO, port=port)
        assert (
            await outcome(DatabaseChecks(database_target(configured, {})).checks(), "database.port")
            is Outcome.OK
        )


async def test_the_store_is_reached_at_the_address_that_answers() -> None:
    async with listening_at_the_second_address() as port:
        place = PostgresPlace(Secret(f"postgresql://gateway@{TWO}:{port}/store"))
        async with open_look(place) as look:
            assert await outcome(PostgresChecks(look).checks(), "store.server") is Outcome.OK

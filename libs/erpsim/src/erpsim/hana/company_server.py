"""Simulated HANA on the company of a Service Layer: changes there are visible in the next query here."""

import errno
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from attrs import frozen

from erpsim.hana.faults import Trouble
from erpsim.hana.process import PASSWORD, USER
from erpsim.hana.server import HanaServer
from erpsim.hana.settings import WEAKER_USERS, HanaSettings, users_with
from erpsim.hana.tables.company_tables import add_company
from erpsim.hana.tables.database import Database
from erpsim.hana.tables.sample_tables import add_sample_tables
from erpsim.process.ports import PortTakenError
from erpsim.world import World


@frozen
class RunningHana:
    """A listening HANA.

    Attributes:
        port: port of the database.
        trouble: faults and journal.
    """

    port: int
    trouble: Trouble


@asynccontextmanager
async def run_company_hana(
    world: World, host: str, port: int, tls: ssl.SSLContext | None
) -> AsyncIterator[RunningHana]:
    """Serve a company's tables while the context lasts, on the event loop that changes the company.

    Users and passwords are those of `python -m erpsim.hana`.

    Args:
        world: the company.
        host: address to bind.
        port: 0 for any free one.
        tls: None for a plain connection.

    Raises:
        PortTakenError: another program listens there.
    """
    database = Database()
    try:
        add_sample_tables(database)
        add_company(database, world)
        server = HanaServer(database, HanaSettings(users_with(USER, PASSWORD), WEAKER_USERS))
        async with server.listening(host, port, tls=tls) as bound_port:
            yield RunningHana(bound_port, server.trouble)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTakenError(f"port {port} on {host} is taken by another program") from error
        raise
    finally:
        database.close()

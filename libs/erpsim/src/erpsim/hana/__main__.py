"""Serves a simulated HANA: ``python -m erpsim.hana``. Prints one JSON line with its ports when it is
ready."""

import argparse
import asyncio
import json
import signal
import ssl
from collections.abc import Sequence
from pathlib import Path

from aiohttp import web

from erpsim.company.clock import SystemClock
from erpsim.facts.loading import load_packaged_facts
from erpsim.hana.control import create_control
from erpsim.hana.server import HanaServer
from erpsim.hana.settings import WEAKER_USERS, HanaSettings, users_with
from erpsim.hana.tables.company_tables import add_company
from erpsim.hana.tables.database import Database
from erpsim.hana.tables.sample_tables import add_sample_tables
from erpsim.process.certificates import self_signed
from erpsim.seeds import SCALES
from erpsim.world import World


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m erpsim.hana", description="A simulated SAP HANA, for development only."
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="where the database listens; the control stays on loopback"
    )
    parser.add_argument("--port", type=int, default=30015, help="0 takes a free one")
    parser.add_argument("--control-port", type=int, default=0, help="JSON over HTTP; 0 takes a free one")
    parser.add_argument("--user", default="SYSTEM")
    parser.add_argument("--password", default="erpsim", help="a simulator's password, no secret")
    parser.add_argument("--rows-per-packet", type=int, default=1000)
    parser.add_argument("--numbers", type=int, default=1000, help="rows of the sample table SAMPLE.NUMBERS")
    parser.add_argument(
        "--seed",
        choices=sorted(SCALES),
        help="also serve the company, as the schema SBO_DEMO, with these rows",
    )
    parser.add_argument(
        "--tls-certificate",
        type=Path,
        help="speak TLS with a self-signed certificate for localhost, and write it here for clients to trust",
    )
    options = parser.parse_args(arguments)
    asyncio.run(_serve(options))
    return 0


async def _serve(options: argparse.Namespace) -> None:
    database = Database()
    add_sample_tables(database, numbers=options.numbers)
    if options.seed is not None:
        add_company(database, World(load_packaged_facts(), seed=options.seed))
    settings = HanaSettings(
        users_with(options.user, options.password), WEAKER_USERS, rows_per_packet=options.rows_per_packet
    )
    server = HanaServer(database, settings)
    runner = web.AppRunner(create_control(server), access_log=None)
    await runner.setup()
    control = web.TCPSite(runner, "127.0.0.1", options.control_port)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        await control.start()
        async with server.listening(options.host, options.port, tls=_tls(options.tls_certificate)) as port:
            control_port = runner.addresses[0][1]
            print(json.dumps({"port": port, "control_port": control_port}), flush=True)  # noqa: T201 - says it is ready
            await stop.wait()
    finally:
        await runner.cleanup()
        database.close()


def _tls(file: Path | None) -> ssl.SSLContext | None:
    if file is None:
        return None
    certificate = self_signed("localhost", SystemClock())
    file.write_bytes(certificate.certificate_pem)
    return certificate.server_context()


if __name__ == "__main__":
    raise SystemExit(main())

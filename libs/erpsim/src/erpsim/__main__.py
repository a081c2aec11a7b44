"""The command `erpsim`: `erpsim serve --port N ...`."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence

from erpsim.company.store import FileStore, MemoryStore, StoreError
from erpsim.facts.model import FactsError
from erpsim.process.ports import PortTakenError
from erpsim.process.settings import ServeSettings, SettingsError, read_settings
from erpsim.seeds.people import ERP_USERS, WEB_USERS, WELCOME_WEB_USERS
from erpsim.simulator import Simulator, open_company

_USAGE = "usage: erpsim serve [--port N] [--config FILE] [--tls] ...   (erpsim serve --help lists all)"


def main(arguments: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: after the program's name; None for those of the process.
        environ: environment variables; None takes the process's.

    Returns:
        0 after an orderly stop, 1 if it could not start, 2 without a command.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] != ["serve"]:
        print(_USAGE, file=sys.stderr)  # noqa: T201 - the command's own output
        return 0 if words in (["--help"], ["-h"]) else 2
    try:
        settings = read_settings(words[1:], os.environ if environ is None else environ)
        asyncio.run(serve(settings))
    except SettingsError as error:
        for problem in error.problems:
            print(f"erpsim: {problem}", file=sys.stderr)  # noqa: T201
        return 1
    except (FactsError, StoreError, PortTakenError, OSError) as error:
        print(f"erpsim: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


async def serve(settings: ServeSettings) -> None:
    """Serve until SIGTERM or SIGINT; print the address when ready, then the company and its users.

    Raises:
        FactsError, StoreError: a file can't be used.
        PortTakenError: a port is taken.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    store = MemoryStore() if settings.store is None else FileStore(settings.store)
    try:
        company = open_company(
            switches=settings.switches,
            seed=settings.seed,
            store=store,
            metadata=settings.metadata,
        )
        async with Simulator(company, settings.listening, faults=settings.faults) as simulator:
            if simulator.certificate is not None and settings.certificate_file is not None:
                settings.certificate_file.write_bytes(simulator.certificate.certificate_pem)
            gateway = simulator.report_gateway
            reports = f", report gateway {gateway.url}" if gateway is not None else ""
            taxes = f", tax documents {service.url}" if (service := simulator.tax_documents) else ""
            database = f", HANA {settings.listening.host}:{hana.port}" if (hana := simulator.hana) else ""
            control = f", control port {simulator.control_url}" if simulator.control_url else ""
            print(f"erpsim ready: {simulator.url}{reports}{taxes}{database}{control}", flush=True)  # noqa: T201
            for line in _company_lines(settings):
                print(line, flush=True)  # noqa: T201
            await stop.wait()
    finally:
        store.close()


def _company_lines(settings: ServeSettings) -> Iterator[str]:
    users = ", ".join(f"{name} / {password}" for name, password in ERP_USERS.items())
    yield f"company {settings.switches.company}, seed {settings.seed}; ERP users: {users}"
    web = ", ".join(f"{name} / {WEB_USERS[name]}" for name in WELCOME_WEB_USERS)
    yield f"web users (employees' U_WEB_USER and U_WEB_PASS): {web}"


if __name__ == "__main__":
    raise SystemExit(main())

"""The command line: `serve`, `check-config`, `openapi`, and commands that work beside a running service."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Final

from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.output import print_lines
from erp_gateway.commands.parser import add_commands, run_command
from erp_gateway.commands.reports.arguments import add_report_command
from erp_gateway.settings import Settings, load_settings
from servicekit.clock import SystemClock
from servicekit.config import ConfigError, secrets_of
from servicekit.logs import LogSettings, configure_logging
from servicekit.server import run

PUBLIC_PREFIX: Final = "/"
"""Where the one origin has this service; nginx passes `/api/` on as it is."""

_BAD_CONFIGURATION: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0 done, 1 failed, 2 wrong arguments or configuration."""
    parsed = _parser().parse_args(arguments)
    if parsed.command == "check-config":
        from erp_gateway.commands.check_config import check_config  # noqa: PLC0415 - needed here alone

        return check_config(os.environ, out=sys.stdout, err=sys.stderr)
    if parsed.command == "openapi":
        from erp_gateway.main import describe  # noqa: PLC0415 - needed here alone

        return 0 if print_lines([asyncio.run(describe(parsed.server))], sys.stdout) else 1
    try:
        settings = load_settings(os.environ)
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return _BAD_CONFIGURATION
    if parsed.command == "report":
        return _preview(parsed, settings)
    if parsed.command == "serve":
        return _serve(settings)
    return _run_beside(parsed, settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="erp-gateway", description="Web login, permissions, audit and a proxy in front of the ERP."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("serve", help="serve the API until SIGTERM")
    commands.add_parser("check-config", help="print the effective configuration, secrets masked; 0 or 2")
    describe = commands.add_parser("openapi", help="print the API's description, for clients to be made from")
    describe.add_argument(
        "--server",
        default=PUBLIC_PREFIX,
        metavar="URL",
        help=f"what paths begin with for a client (default: {PUBLIC_PREFIX})",
    )
    add_report_command(commands)
    add_commands(commands)
    return parser


def _serve(settings: Settings) -> int:
    from erp_gateway.main import main as serve  # noqa: PLC0415 - the other commands need no web server

    return run(serve(settings))


def _preview(parsed: argparse.Namespace, settings: Settings) -> int:
    from erp_gateway.commands.reports.preview import preview  # noqa: PLC0415 - the others print nothing

    configure_logging(LogSettings(level="ERROR"), secrets=secrets_of(settings), stream=sys.stderr)
    return preview(parsed, settings, out=sys.stdout, err=sys.stderr)


def _run_beside(parsed: argparse.Namespace, settings: Settings) -> int:
    configure_logging(
        settings.logging.as_log_settings(),
        secrets=secrets_of(settings),
        stream=sys.stderr,
    )
    context = CommandContext(
        store_path=settings.store.path,
        timezone=settings.web.timezone,
        clock=SystemClock(),
        out=sys.stdout,
        err=sys.stderr,
    )
    return run_command(parsed, context)


if __name__ == "__main__":
    sys.exit(main())

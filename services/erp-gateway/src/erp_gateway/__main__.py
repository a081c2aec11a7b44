"""The command line: `serve`, `check-config`, and the commands that work beside a running service."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.output import print_lines
from erp_gateway.commands.parser import add_commands, run_command
from erp_gateway.settings import Settings, effective_settings, load_settings
from servicekit.clock import SystemClock
from servicekit.config import ConfigError, secrets_of
from servicekit.logs import configure_logging
from servicekit.server import run

_FAILED: Final = 1
_BAD_CONFIGURATION: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0 done, 1 failed, 2 wrong arguments or configuration."""
    parsed = _parser().parse_args(arguments)
    try:
        settings = load_settings(os.environ)
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return _BAD_CONFIGURATION
    if parsed.command == "serve":
        return _serve(settings)
    if parsed.command == "check-config":
        return _check(settings)
    return _run_beside(parsed, settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="erp-gateway", description="Web login, permissions, audit and a proxy in front of the ERP."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("serve", help="serve the API until SIGTERM")
    commands.add_parser("check-config", help="print the effective configuration, secrets masked; 0 or 2")
    add_commands(commands)
    return parser


def _check(settings: Settings) -> int:
    from erp_gateway.extensions import ExtensionError, load_extensions  # noqa: PLC0415 - needed here alone

    try:
        load_extensions(settings.web.extensions, engine=settings.database_engine)
    except ExtensionError as error:
        sys.stderr.write(f"{error}\n")
        return _BAD_CONFIGURATION
    shown = (f"{name}={value}" for name, value in effective_settings(settings))
    return 0 if print_lines(shown, sys.stdout) else _FAILED


def _serve(settings: Settings) -> int:
    from erp_gateway.main import main as serve  # noqa: PLC0415 - the other commands need no web server

    return run(serve(settings))


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

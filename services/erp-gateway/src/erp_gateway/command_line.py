"""The command line: `serve`, `check-config`, `openapi`, and commands that run beside a running service."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from typing import Final

from erp_gateway.commands.context import CommandContext, discard, print_lines
from erp_gateway.commands.parser import (
    add_commands,
    add_doctor_arguments,
    run_command,
)
from erp_gateway.settings.root import Settings, load_settings
from erp_gateway.store.places import place_of
from servicekit.clock import SystemClock
from servicekit.config import ConfigError, SettingsTerminal, secrets_of
from servicekit.logs import LogSettings, configure_logging
from servicekit.server import run

PUBLIC_PREFIX: Final = "/"
"""URL prefix of this service at the public origin; nginx passes `/api/` on unchanged."""

_BAD_CONFIGURATION: Final = 2


def run_words(words: Sequence[str]) -> int:
    """Run a command; return the exit code."""
    parsed = _parser(words[0] if words else "").parse_args(words)
    if parsed.command == "check-config":
        from erp_gateway.commands.check_config import check_config  # noqa: PLC0415 - only this command needs it

        return check_config(os.environ, out=sys.stdout, err=sys.stderr)
    if parsed.command == "openapi":
        from erp_gateway.main import describe  # noqa: PLC0415 - only this command needs it

        return 0 if print_lines([asyncio.run(describe(parsed.server))], sys.stdout) else 1
    return _run_doctor(parsed) if parsed.command == "doctor" else _run_configured(parsed)


def _run_configured(parsed: argparse.Namespace) -> int:
    try:
        settings = load_settings(os.environ)
    except ConfigError as error:
        SettingsTerminal(os.environ, sys.stderr).show(error.problems)
        return _BAD_CONFIGURATION
    run_with = {
        "attachments": _bind,
        "conformance": _run_conformance,
        "queries": _run_queries,
        "serve": _serve,
    }
    return run_with.get(parsed.command, _run_beside)(parsed, settings)


def _parser(requested: str) -> argparse.ArgumentParser:
    """Declare all commands; `doctor` and `conformance` get their arguments only if named, to save imports."""
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
    conformance = commands.add_parser(
        "conformance", help="ask the ERP whether it does what this service counts on"
    )
    doctor = commands.add_parser(
        "doctor", help="look at what stands between this installation and its ERP; 0, 1 (warnings) or 2"
    )
    add_commands(commands)
    if requested == "doctor":
        add_doctor_arguments(doctor)
    if requested == "conformance":
        from erpdoctor.conformance.arguments import add_question_arguments  # noqa: PLC0415 - only these commands need it

        add_question_arguments(conformance, credentials=False)
    return parser


def _serve(_: argparse.Namespace, settings: Settings) -> int:
    from erp_gateway.main import main as serve  # noqa: PLC0415 - the other commands need no web server
    from erp_gateway.reports.html.opening import problems_of  # noqa: PLC0415 - as above

    problems = tuple(problems_of(settings.html_pdf))
    if problems:
        SettingsTerminal(os.environ, sys.stderr).show(problems)
        return _BAD_CONFIGURATION
    return run(serve(settings))


def _run_conformance(parsed: argparse.Namespace, settings: Settings) -> int:
    from erp_gateway.commands.conformance import suite_of  # noqa: PLC0415 - only this command needs it
    from erpdoctor.conformance.command import run_and_print_questions  # noqa: PLC0415 - only this command needs it

    configure_logging(LogSettings(level="ERROR"), secrets=secrets_of(settings), stream=sys.stderr)
    return run_and_print_questions(parsed, suite_of(settings), out=sys.stdout, err=sys.stderr)


def _run_doctor(parsed: argparse.Namespace) -> int:
    from erp_gateway.commands.doctor import run_doctor  # noqa: PLC0415 - only this command needs it

    try:
        return asyncio.run(
            run_doctor(parsed, os.environ, clock=SystemClock(), out=sys.stdout, err=sys.stderr)
        )
    except BrokenPipeError:
        discard(sys.stdout)
        return 1


def _run_beside(parsed: argparse.Namespace, settings: Settings) -> int:
    configure_logging(
        settings.logging.as_log_settings(),
        secrets=secrets_of(settings),
        stream=sys.stderr,
    )
    return run_command(parsed, _context(settings))


def _bind(parsed: argparse.Namespace, settings: Settings) -> int:
    from erp_gateway.commands.attachments import bind  # noqa: PLC0415 - only this command needs it

    configure_logging(
        settings.logging.as_log_settings(),
        secrets=secrets_of(settings),
        stream=sys.stderr,
    )
    return bind(parsed, settings, _context(settings))


def _run_queries(parsed: argparse.Namespace, settings: Settings) -> int:
    from erp_gateway.commands.queries import run_queries_command  # noqa: PLC0415 - the others ask the ERP nothing

    configure_logging(
        settings.logging.as_log_settings(),
        secrets=secrets_of(settings),
        stream=sys.stderr,
    )
    return run_queries_command(parsed, settings, _context(settings))


def _context(settings: Settings) -> CommandContext:
    return CommandContext(
        store=place_of(settings.store.path, settings.store.url),
        timezone=settings.web.timezone,
        clock=SystemClock(),
        out=sys.stdout,
        err=sys.stderr,
        environ=os.environ,
    )

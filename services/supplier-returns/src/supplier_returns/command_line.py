"""Command line: `serve`, `check-config`, `doctor`, `metadata`, `conformance` and `openapi`."""

import argparse
import asyncio
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from servicekit.clock import SystemClock
from servicekit.config import ConfigError, SettingsTerminal, find_warnings, similar_names
from servicekit.logs import LogSettings, configure_logging
from servicekit.server import run
from supplier_returns.settings.root import OWN_PREFIXES, Settings, effective_settings, load_settings

PUBLIC_PREFIX: Final = "/devoluciones"
"""Prefix of this service at the common origin. nginx removes it."""

_BAD_CONFIGURATION: Final = 2


def run_words(words: Sequence[str]) -> int:
    """Run a command and return the exit code."""
    parsed = _parser(words[0] if words else "").parse_args(words)
    if parsed.command == "openapi":
        from supplier_returns.main import describe  # noqa: PLC0415 - needed here alone

        _print_lines([asyncio.run(describe(parsed.server))])
        return 0
    if parsed.command == "doctor":
        return _run_doctor(parsed)
    if parsed.command == "check-config":
        misspelt = similar_names(Settings, os.environ, own_prefixes=OWN_PREFIXES)
        SettingsTerminal(os.environ, sys.stderr).warn(misspelt)
    try:
        settings = load_settings(os.environ)
    except ConfigError as error:
        SettingsTerminal(os.environ, sys.stderr).show(error.problems)
        return _BAD_CONFIGURATION
    run_with = {"serve": _serve, "conformance": _run_conformance, "check-config": _show, "metadata": _rebuild}
    return run_with[parsed.command](parsed, settings)


def _print_lines(lines: Iterable[str]) -> None:
    """Print lines to a reader that may close the pipe early, like `head`."""
    try:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # the interpreter flushes it again at exit


def _parser(named: str) -> argparse.ArgumentParser:
    """Declare all commands, and the arguments of the named one if it uses the ERP.

    The modules of the other commands are not loaded, which keeps the start fast.
    """
    parser = argparse.ArgumentParser(
        prog="supplier-returns", description="Plans and executes returns to suppliers in the ERP."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("serve", help="serve the API until SIGTERM")
    commands.add_parser("check-config", help="print the effective configuration, secrets masked; 0 or 2")
    doctor = commands.add_parser(
        "doctor", help="check this installation and its ERP without changing anything; 0, 1 (warnings) or 2"
    )
    conformance = commands.add_parser(
        "conformance", help="check that the ERP behaves as this service assumes"
    )
    metadata = commands.add_parser("metadata", help="create and extend the ERP's tables, fields and queries")
    describe = commands.add_parser(
        "openapi", help="print the API description (OpenAPI) for generated clients"
    )
    describe.add_argument(
        "--server",
        default=PUBLIC_PREFIX,
        metavar="URL",
        help=f"prefix of all paths for a client (default: {PUBLIC_PREFIX})",
    )
    if named == "doctor":
        from supplier_returns.doctor.command import add_doctor_arguments  # noqa: PLC0415 - what serves loads no doctor

        add_doctor_arguments(doctor)
    if named == "metadata":
        from supplier_returns.commands.rebuild import add_metadata_arguments  # noqa: PLC0415 - the same

        add_metadata_arguments(metadata)
    if named == "conformance":
        from erpdoctor.conformance.arguments import add_question_arguments  # noqa: PLC0415 - the same

        add_question_arguments(conformance, credentials=True)
    return parser


def _run_doctor(parsed: argparse.Namespace) -> int:
    from supplier_returns.doctor.command import run_doctor  # noqa: PLC0415 - it needs much that others do not

    return asyncio.run(run_doctor(parsed, os.environ, clock=SystemClock(), out=sys.stdout, err=sys.stderr))


def _rebuild(parsed: argparse.Namespace, settings: Settings) -> int:
    from supplier_returns.commands.rebuild import rebuild  # noqa: PLC0415 - it needs much that others do not

    configure_logging(LogSettings(level="ERROR"), stream=sys.stderr)
    return asyncio.run(rebuild(parsed, settings, os.environ, out=sys.stdout, err=sys.stderr))


def _run_conformance(parsed: argparse.Namespace, settings: Settings) -> int:
    from erpdoctor.conformance.command import run_and_print_questions  # noqa: PLC0415 - the others ask the ERP nothing
    from supplier_returns.conformance.command import suite_of  # noqa: PLC0415 - the same

    configure_logging(LogSettings(level="ERROR"), stream=sys.stderr)
    return run_and_print_questions(parsed, suite_of(parsed, settings), out=sys.stdout, err=sys.stderr)


def _show(_: argparse.Namespace, settings: Settings) -> int:
    SettingsTerminal(os.environ, sys.stderr).warn(find_warnings(settings, os.environ))
    _print_lines([f"{name}={value}" for name, value in effective_settings(settings)])
    return 0


def _serve(_: argparse.Namespace, settings: Settings) -> int:
    from supplier_returns.main import main as serve  # noqa: PLC0415 - check-config needs no web server

    return run(serve(settings))

"""The subcommands `permissions`, `audit` and `backup`."""

import argparse
from pathlib import Path
from typing import TextIO
from zoneinfo import ZoneInfo

from attrs import frozen

from erp_gateway.clock import Clock


@frozen(kw_only=True)
class CommandContext:
    """What a command needs of the configuration and of the process."""

    store_path: Path
    timezone: ZoneInfo
    clock: Clock
    out: TextIO
    err: TextIO


def add_commands(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare `permissions list|grant|revoke`, `audit export` and `backup PATH`."""
    raise NotImplementedError


def run_command(arguments: argparse.Namespace, context: CommandContext) -> int:
    """Run the command that was parsed; return the exit code (0 done, 1 refused or failed)."""
    raise NotImplementedError

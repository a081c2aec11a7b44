"""`backup PATH`: a copy of the store while the service runs."""

import argparse
from pathlib import Path

from erp_gateway.commands.context import CommandContext
from erp_gateway.storage.backup import back_up


def add_backup_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser("backup", help="copy the store while the service runs")
    parser.add_argument("target", type=Path, metavar="PATH", help="a new file; nothing is overwritten")
    parser.set_defaults(run=make_backup)


async def make_backup(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Copy the store and say how large the copy is."""
    size = await back_up(context.store_path, arguments.target)
    print(f"{arguments.target}: {size} bytes", file=context.out)

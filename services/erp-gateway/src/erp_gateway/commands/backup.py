"""`backup PATH`: a copy of the store while the service runs."""

import argparse
from pathlib import Path

from erp_gateway.commands.context import CommandContext, CommandRefusedError
from erp_gateway.storage.sqlite.backup import back_up


def add_backup_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser("backup", help="copy the store while the service runs")
    parser.add_argument("target", type=Path, metavar="PATH", help="a new file; nothing is overwritten")
    parser.set_defaults(run=make_backup)


async def make_backup(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Copy the store and say how large the copy is; for a database, say which command does that.

    Raises:
        CommandRefusedError: the store is a database: nothing was copied.
    """
    if not isinstance(context.store, Path):
        from erp_gateway.storage.postgresql.backup import dump_command  # noqa: PLC0415 - needed here alone

        print(dump_command(context.store, arguments.target), file=context.out)
        raise CommandRefusedError(
            "nothing was copied: PostgreSQL's own pg_dump copies the store while the service runs, with the "
            "command above; it takes the password from PGPASSWORD or ~/.pgpass"
        )
    size = await back_up(context.store, arguments.target)
    print(f"{arguments.target}: {size} bytes", file=context.out)

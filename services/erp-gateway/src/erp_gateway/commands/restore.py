"""`restore`: replace the store by a backup; with `--check`, only verify that this would work."""

import argparse
from pathlib import Path
from typing import Final

from erp_gateway.audit.chain_check import check_chain
from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.commands.context import CommandContext, CommandRefusedError
from erp_gateway.store.copying import TABLES
from erp_gateway.store.database import Database
from erp_gateway.store.migrations import load_migrations
from erp_gateway.store.restore import open_copy, replace_store

_COUNTED: Final = ("menu_permission", "gateway_reports", "audit_log", "ledger_write")


def add_restore_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "restore", help="put a backup into the store's place; the service is stopped"
    )
    parser.add_argument("backup", type=Path, metavar="FILE", help="as `backup` made it")
    parser.add_argument(
        "--check",
        action="store_true",
        help="only open a temporary copy: its form, how much is in it, the audit's chain",
    )
    parser.set_defaults(run=restore)


async def restore(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Check the backup, and replace the store by it unless `--check` is set.

    Raises:
        CommandRefusedError: the store is a database, or the backup can't be used.
    """
    if not isinstance(context.store, Path):
        raise CommandRefusedError(
            "the store is a database of PostgreSQL: pg_restore puts a dump into a new one (docs/operate.md)"
        )
    faults = await _check(arguments.backup, context)
    if faults:
        message = f"the audit log in {arguments.backup} is not as it was written: faults found: {faults}"
        if arguments.check:
            raise CommandRefusedError(message)
        print(f"warning: {message}", file=context.err)
    if arguments.check:
        print(f"{arguments.backup} can be restored", file=context.out)
        return
    old_store = replace_store(arguments.backup, context.store)
    print(f"{context.store} is now a copy of {arguments.backup}", file=context.out)
    if old_store is not None:
        print(f"the former store is {old_store}; delete it once the service runs", file=context.out)


async def _check(backup: Path, context: CommandContext) -> int:
    """Print a summary of the backup; return the number of faults in its audit log."""
    async with open_copy(backup) as (database, version):
        print(f"version {version}, this program's is {len(load_migrations())}", file=context.out)
        for table, rows in await _count(database):
            print(f"{table}: {rows}", file=context.out)
        check = await check_chain(AuditChain(database))
    print(f"audit: {check.records} records, head {check.last.as_text()}", file=context.out)
    return len(check.faults)


async def _count(database: Database) -> list[tuple[str, int]]:
    names = [table.name for table in TABLES if table.name in _COUNTED]
    return [(name, int((await database.read(f"SELECT COUNT(*) FROM {name}"))[0][0])) for name in names]  # noqa: S608 - fixed

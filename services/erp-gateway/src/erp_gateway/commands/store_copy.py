"""`backup`: copy a store in use. `store copy`: copy a whole store into an empty one, both out of use."""

import argparse
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from erp_gateway.commands.context import CommandContext, CommandRefusedError
from erp_gateway.settings.service import ALLOWED, is_database_url
from erp_gateway.store.backup_files import backup_name, prune_backups
from erp_gateway.store.copying import copy_store
from erp_gateway.store.database import hold_process_lock, open_database
from erp_gateway.store.places import PostgresPlace, StorePlace
from erp_gateway.store.sqlite.backup import back_up
from servicekit.config import Secret


def add_backup_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser("backup", help="copy the store while the service runs")
    parser.add_argument(
        "target",
        type=Path,
        metavar="PATH",
        help="a new file, or a folder that gets a file with the time in its name; nothing is overwritten",
    )
    parser.add_argument(
        "--keep",
        type=_number,
        metavar="N",
        help="in a folder: keep the newest N of these files, and delete older ones once the copy is made",
    )
    parser.set_defaults(run=make_backup)


async def make_backup(arguments: argparse.Namespace, context: CommandContext) -> None:
    """Copy the store and print the size; for a database, print the command that dumps it.

    Raises:
        CommandRefusedError: the store is a database, or `--keep` has no folder: nothing was copied.
    """
    folder = arguments.target if arguments.target.is_dir() else None
    if folder is None and arguments.keep is not None:
        raise CommandRefusedError(f"--keep needs a folder, and {arguments.target} is none")
    is_dump = not isinstance(context.store, Path)
    target = (
        arguments.target if folder is None else folder / backup_name(context.clock.now(), is_dump=is_dump)
    )
    if not isinstance(context.store, Path):
        from erp_gateway.store.postgresql.backup import dump_command  # noqa: PLC0415 - only for PostgreSQL

        print(dump_command(context.store, target), file=context.out)
        raise CommandRefusedError(
            "nothing was copied: PostgreSQL's own pg_dump copies the store while the service runs, with the "
            "command above; it takes the password from PGPASSWORD or ~/.pgpass"
        )
    size = await back_up(context.store, target)
    print(f"{target}: {size} bytes", file=context.out)
    if folder is not None and arguments.keep is not None:
        try:
            pruned = prune_backups(folder, keep=arguments.keep)
        except OSError as error:
            raise CommandRefusedError(f"the copy was made; old ones can't be deleted: {error}") from None
        for file in pruned:
            print(f"deleted {file}", file=context.out)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a number from 1")
    return int(text)


FROM: Final = "STORE_COPY_FROM"
TO: Final = "STORE_COPY_TO"


def add_store_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command; addresses with passwords come from the environment, never as arguments."""
    parser = subparsers.add_parser("store", help="copy the store to another engine or place")
    forms = parser.add_subparsers(required=True, metavar="copy")
    copy = forms.add_parser(
        "copy",
        help="copy everything into an empty store; both stopped",
        description=f"{FROM} and {TO} (or {FROM}_FILE and {TO}_FILE) name the two: a path, or {ALLOWED}",
    )
    copy.set_defaults(run=copy_stores)


async def copy_stores(_arguments: argparse.Namespace, context: CommandContext) -> None:
    """Copy, compare, and print the number of rows of each table."""
    source, target = (_read_place(name, context.environ) for name in (FROM, TO))
    if source == target:
        raise CommandRefusedError(f"{FROM} and {TO} name the same store")
    if isinstance(source, Path) and not source.is_file():
        raise CommandRefusedError(f"there is no store at {source}; {FROM} names it")
    with ExitStack() as locks:  # fails if a process serves one of them
        for place in (source, target):
            locks.enter_context(hold_process_lock(place))
        async with (
            open_database(source, may_create=False) as full,
            open_database(target) as empty,
        ):
            copied = await copy_store(full, empty)
    for table, rows in copied.rows.items():
        print(f"{table}: {rows}", file=context.out)
    print(f"head {'missing' if copied.head is None else copied.head.as_text()}", file=context.out)


def _read_place(name: str, environ: Mapping[str, str]) -> StorePlace:
    text, file = environ.get(name, ""), environ.get(f"{name}_FILE", "")
    if bool(text) == bool(file):
        raise CommandRefusedError(f"set {name} or {name}_FILE: a path, or {ALLOWED}")
    if file:
        try:
            text = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            raise CommandRefusedError(f"{name}_FILE: the file {file!r} can't be read") from None
    if is_database_url(text):
        return PostgresPlace(Secret(text))
    if "://" in text or not text:
        raise CommandRefusedError(f"{name} is neither a path nor a URL of a database; allowed: {ALLOWED}")
    return Path(text).expanduser()

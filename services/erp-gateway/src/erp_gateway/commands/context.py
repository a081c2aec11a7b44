"""Context of a command: its configuration, clock and output."""

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import TextIO
from zoneinfo import ZoneInfo

from attrs import field, frozen

from erp_gateway.store.database import Database, hold_process_lock, open_database
from erp_gateway.store.errors import StoreInUse, StoreNotUsable
from erp_gateway.store.places import StorePlace
from servicekit.clock import Clock


class CommandRefusedError(Exception):
    """The command did nothing; the message tells the operator why."""


@frozen(kw_only=True)
class CommandContext:
    """Configuration, clock and output of a command."""

    store: StorePlace
    timezone: ZoneInfo
    clock: Clock
    out: TextIO
    err: TextIO
    environ: Mapping[str, str] = field(factory=dict, repr=False)


@asynccontextmanager
async def open_store(place: StorePlace, *, may_create: bool) -> AsyncIterator[Database]:
    """Open the store, beside a running service or alone.

    Alone, the command may create and upgrade the store. Beside a running service, the store must already have
    this version.

    Raises:
        StoreNotUsable: as `open_database`, or there is no store and `may_create` is false.
    """
    if not may_create and isinstance(place, Path):
        _refuse_missing(place)
    with ExitStack() as lock:
        try:
            lock.enter_context(hold_process_lock(place))
        except StoreInUse:
            may_upgrade = False
        else:
            may_upgrade = True
        async with open_database(place, may_upgrade=may_upgrade, may_create=may_create) as database:
            lock.close()  # from here on a service may start
            yield database


def _refuse_missing(path: Path) -> None:
    if not path.is_file():
        raise StoreNotUsable(
            f"there is no store at {path}; SQLITE_PATH names it, and the first start makes it"
        )


def discard(out: TextIO) -> None:
    """Redirect the output to nowhere after its reader (such as `head`) has closed it.

    Otherwise the interpreter would report an error when it flushes the output at exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def print_lines(lines: Iterable[str], out: TextIO) -> bool:
    """Print lines; return False if the reader closed the output."""
    try:
        out.writelines(f"{line}\n" for line in lines)
        out.flush()
    except BrokenPipeError:
        discard(out)
        return False
    return True

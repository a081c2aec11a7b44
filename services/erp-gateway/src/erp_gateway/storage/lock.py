"""One process per store: web sessions live in memory, so a second process would not know them."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from erp_gateway.storage.places import StorePlace
from erp_gateway.storage.sqlite.lock import hold_lock_file


@contextmanager
def hold_process_lock(place: StorePlace) -> Iterator[None]:
    """Hold the store's lock for as long as the block runs: a lock file beside a file, a lock in a database.

    Raises:
        StoreInUse: another process holds it.
        StoreNotUsable: there is no place to hold it.
    """
    holding: AbstractContextManager[object]
    if isinstance(place, Path):
        holding = hold_lock_file(place)
    else:
        from erp_gateway.storage.postgresql.serving import hold_serving_lock  # noqa: PLC0415 - needed here alone

        holding = hold_serving_lock(place)
    with holding:
        yield

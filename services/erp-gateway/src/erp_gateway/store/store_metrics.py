"""Metrics of the store's file, its disk and its backups, read at each scrape."""

import shutil
from collections.abc import Callable
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge

from erp_gateway.store.backup_files import dated_backups
from erp_gateway.store.places import StorePlace
from erp_gateway.store.sqlite.reserve import DiskReserve


def publish_store_figures(registry: CollectorRegistry, store: StorePlace, backups: Path | None) -> None:
    """Publish the metrics.

    Args:
        registry: registry of the metrics.
        store: place of the store; the server of a database has metrics of its own.
        backups: folder with dated backups; None if none is configured.
    """

    def publish(name: str, sentence: str, read: Callable[[], float]) -> None:
        Gauge(name, sentence, registry=registry).set_function(lambda: _or_zero(read))

    if isinstance(store, Path):
        reserve = DiskReserve(store)
        publish("store_bytes", "Size of the store's file and of its log.", lambda: _size(store))
        publish(
            "store_disk_free_bytes",
            "Free space on the store's disk.",
            lambda: shutil.disk_usage(store.parent).free,
        )
        publish(
            "store_disk_reserve_kept",
            "1 while disk space is kept back for the store; 0 once a full disk took it.",
            lambda: reserve.is_reserved,
        )
    if backups is not None:
        publish(
            "store_backup_timestamp_seconds",
            "When the newest dated copy of the store was made, in seconds since 1970; 0 where there is none.",
            lambda: _newest(backups),
        )


def _or_zero(read: Callable[[], float]) -> float:
    try:
        return float(read())
    except (OSError, IndexError):
        return 0.0


def _newest(backups: Path) -> float:
    moment, _ = dated_backups(backups)[0]
    return moment.timestamp()


def _size(store: Path) -> float:
    log = store.with_name(f"{store.name}-wal")
    return store.stat().st_size + (log.stat().st_size if log.exists() else 0)

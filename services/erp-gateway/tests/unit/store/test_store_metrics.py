"""Figures of the store's file, its disk and its copies."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.store_metrics import publish_store_figures
from servicekit.config import Secret


def figures(registry: CollectorRegistry) -> dict[str, float]:
    return {sample.name: sample.value for metric in registry.collect() for sample in metric.samples}


def test_the_metrics_are_current(tmp_path: Path) -> None:
    store, backups = tmp_path / "app.sqlite", tmp_path / "backups"
    registry = CollectorRegistry()
    publish_store_figures(registry, store, backups)
    missing = figures(registry)
    assert (missing["store_bytes"], missing["store_backup_timestamp_seconds"]) == (0, 0)
    assert missing["store_disk_free_bytes"] > 0
    store.write_bytes(b"x" * 1000)
    store.with_name("app.sqlite-wal").write_bytes(b"x" * 24)
    store.with_name("app.sqlite.reserve").touch()
    backups.mkdir()
    for name in (
        "gateway-20261127T020000Z.sqlite",
        "gateway-20261128T020000Z.dump",
        "gateway-2099.dump",
    ):
        (backups / name).touch()
    found = figures(registry)
    assert (found["store_bytes"], found["store_disk_reserve_kept"]) == (1024, 1)
    assert found["store_backup_timestamp_seconds"] == datetime(2026, 11, 28, 2, tzinfo=UTC).timestamp()


@pytest.mark.parametrize("backups", [None, Path("/nowhere")])
def test_a_database_only_has_metrics_of_its_backups(backups: Path | None) -> None:
    registry = CollectorRegistry()
    publish_store_figures(registry, PostgresPlace(Secret("postgresql://u:p@h/d")), backups)
    assert figures(registry) == ({} if backups is None else {"store_backup_timestamp_seconds": 0})

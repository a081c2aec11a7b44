"""Opens the module."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

from erp_gateway.exports.exporter import Exporter
from erp_gateway.exports.workbook import remove_left_folders
from erp_gateway.observed_queue import QueueObserver
from erp_gateway.settings.modules import Exports
from servicekit.clock import Clock


@asynccontextmanager
async def open_exports(
    settings: Exports, clock: Clock, timezone: ZoneInfo, observer: QueueObserver | None = None
) -> AsyncIterator[Exporter]:
    """Open the module. What a killed service has left of its files is removed before.

    Args:
        settings: how many, and how large.
        clock: the day in a file's name.
        timezone: whose day.
        observer: is told of every export.
    """
    await asyncio.to_thread(remove_left_folders, Path(tempfile.gettempdir()))
    exporter = Exporter(settings, clock, timezone, observer)
    try:
        yield exporter
    finally:
        exporter.drain()

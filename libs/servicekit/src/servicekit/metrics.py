"""Prometheus figures of the process, on a port of their own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from prometheus_client import CollectorRegistry


class HttpMetrics:
    """Requests by method, route template and status, their duration, and how many run."""

    def __init__(self, registry: CollectorRegistry) -> None:
        raise NotImplementedError

    def started(self) -> None:
        """Count a request as running."""
        raise NotImplementedError

    def finished(self, method: str, route: str | None, status: int, duration_s: float) -> None:
        """Count a request as done. `route` is the template, None where no endpoint matched."""
        raise NotImplementedError


def create_registry() -> CollectorRegistry:
    """Create a registry with the process's own figures (memory, processor time, file descriptors, version)."""
    raise NotImplementedError


@asynccontextmanager
async def serve_metrics(
    registry: CollectorRegistry, *, host: str, port: int | None
) -> AsyncIterator[int | None]:
    """Answer `GET /metrics` on a port of its own while the context is open; does nothing when `port` is None.

    Yields:
        The port listened on (0 asks for any free one).

    Raises:
        OSError: The port can't be bound.
    """
    raise NotImplementedError
    yield None

"""Reads through the cache of reference data, as `ProxyService` makes them."""

from collections.abc import Awaitable, Callable

from erp_gateway.records.proxy.cache.catalogue import CatalogueCache
from erp_gateway.records.proxy.cache.read import CachedRead, CacheKey
from erpclient import ErpError, ErpList
from servicekit.cache import CachedAnswer


class CountedAnswers:
    """Observer that lists the answers from the cache by whether they were stale."""

    def __init__(self) -> None:
        self.stale: list[bool] = []

    def answered_from_cache(self, *, stale: bool) -> None:
        """Note an answer."""
        self.stale.append(stale)


async def read_through(
    cache: CatalogueCache,
    key: CacheKey | None,
    call: Callable[[Callable[[], object]], Awaitable[ErpList]],
    *,
    bypass: bool = False,
    observer: CountedAnswers | None = None,
) -> CachedAnswer[ErpList]:
    """Answer from the cache, or call the ERP and keep its answer."""
    read: CachedRead[ErpList] = CachedRead(cache, observer or CountedAnswers(), key, bypass=bypass)
    if read.fresh is not None:
        return read.fresh
    try:
        return read.keep(await call(read.sent))
    except ErpError as error:
        if (stale := read.stale_answer(error)) is not None:
            return stale
        raise

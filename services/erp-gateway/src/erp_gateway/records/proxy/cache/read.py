"""One read that the cache of reference data may answer."""

from typing import Generic, Protocol, TypeVar, cast

from attrs import frozen

from erp_gateway.records.proxy.cache.catalogue import Answer, CatalogueCache
from erpclient import ErpError, ErpList, ErpRecord, ErpTimeout, ErpUnreachable, ErpUnwell, Phase
from servicekit.cache import CachedAnswer

A = TypeVar("A", ErpList, ErpRecord)


class CacheObserver(Protocol):
    """Counts for the metrics page."""

    def answered_from_cache(self, *, stale: bool) -> None:
        """Count a read that the cache answered; `stale`: because the ERP did not respond."""
        ...


@frozen
class CacheKey:
    """Key of a read in the cache.

    Attributes:
        resource: the reference resource.
        query: the key of the record, if it is one, and the query, written anew.
    """

    resource: str
    query: str


class CachedRead(Generic[A]):
    """A read that the cache may answer before the ERP, or instead of an ERP that does not respond.

    Use `fresh` if it is not None. Otherwise call the ERP with `sent` as `on_start`, and pass the answer to
    `keep` or the error to `stale_answer`.

    Args:
        cache: answers of earlier reads.
        observer: counts answers from the cache.
        key: key of the read; None if the cache does not keep it.
        bypass: whether the client wants the ERP's own answer only.

    Attributes:
        fresh: the cached answer, if it is young enough.
    """

    def __init__(
        self,
        cache: CatalogueCache,
        observer: CacheObserver,
        key: CacheKey | None,
        *,
        bypass: bool,
    ) -> None:
        self._cache = cache
        self._observer = observer
        self._key = key
        self._bypass = bypass
        self.fresh: CachedAnswer[A] | None = None
        if key is None:
            return
        self.fresh = self._cached(stale=False)
        if self.fresh is None:
            self._stamp = cache.read_sent(key.resource)

    def sent(self) -> None:
        """Call this when the read is being sent: waiting does not count for the age of its answer."""
        if self._key is not None:
            self._stamp = self._cache.read_sent(self._key.resource)

    def keep(self, answer: A) -> CachedAnswer[A]:
        """Keep the answer of the ERP for later reads, and return it."""
        if self._key is not None:
            self._cache.keep(self._stamp, self._key.query, answer)
        return CachedAnswer(answer)

    def stale_answer(self, error: ErpError) -> CachedAnswer[A] | None:
        """Return the cached answer after a call that failed because the ERP does not respond."""
        return self._cached(stale=True) if is_erp_away(error) else None

    def _cached(self, *, stale: bool) -> CachedAnswer[A] | None:
        if self._key is None or self._bypass:
            return None
        find = self._cache.stale if stale else self._cache.fresh
        cached: CachedAnswer[Answer] | None = find(self._key.resource, self._key.query)
        if cached is None:
            return None
        self._observer.answered_from_cache(stale=stale)
        # A page and a record never share a key: the query of a record starts with its key in parentheses.
        return CachedAnswer(cast("A", cached.answer), cached.age_s, stale)


def is_erp_away(error: ErpError) -> bool:
    """Return whether a read failed because the ERP cannot be reached or does not respond."""
    if isinstance(error, ErpTimeout):
        return error.phase is Phase.CONNECT
    return isinstance(error, ErpUnreachable | ErpUnwell)

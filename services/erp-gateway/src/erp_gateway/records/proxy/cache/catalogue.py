"""The cache of reference data.

No answer may be older than a write that passed through the gateway. So a write clears the answers of its
resource when it is sent and again when it ends, whatever its outcome, and the answer of a read that was sent
before that end is not kept. After an unknown outcome the ERP may still be working on the write: for
`UNSURE_S` no answer of the resource is kept or used.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias, TypeVar

from attrs import define, frozen

from erpclient import ErpList, ErpRecord
from servicekit.cache import Cache, CachedAnswer, ReadStart
from servicekit.clock import Clock

MAX_BYTES: Final = 16 * 1024 * 1024

UNSURE_S: Final = 600.0
"""How long the ERP may still be working on a write with an unknown outcome."""

ENTRY_BYTES: Final = 1_024
"""Size of an entry beside its answer and its query: twice the measured 470 bytes."""

Answer: TypeAlias = ErpList | ErpRecord


A = TypeVar("A", ErpList, ErpRecord)


@frozen
class ReadStamp:
    """The state of a resource when a read was sent.

    Attributes:
        resource: the resource.
        start: when the read was sent.
        generation: number of writes so far; None if the answer must not be kept.
    """

    resource: str
    start: ReadStart
    generation: int | None


@define
class _Resource:
    """State of one resource; `writing` is the number of writes in flight."""

    generation: int = 0
    writing: int = 0
    unsure_until: float = 0.0


class CatalogueCache:
    """Keeps the most recently used answers of reference resources, up to `MAX_BYTES`.

    Args:
        resources: names of the reference resources.
        clock: time.
        fresh_s: greatest age of an answer that replaces a call to the ERP; 0: none does.
        stale_s: greatest age of an answer while the ERP does not respond; 0: none is used.
    """

    def __init__(self, resources: Iterable[str], clock: Clock, *, fresh_s: float, stale_s: float) -> None:
        self._clock = clock
        self._fresh_s = fresh_s
        self._stale_s = stale_s
        on = fresh_s > 0 or stale_s > 0
        self._resources = {name: _Resource() for name in resources if on}
        self._answers: Cache[tuple[str, str], Answer] = Cache(
            clock, size_of=_size_of, max_size=MAX_BYTES, largest=MAX_BYTES
        )

    def __len__(self) -> int:
        """Return the number of answers."""
        return len(self._answers)

    @property
    def size(self) -> int:
        """Bytes of all answers, with keys and the size of an entry."""
        return self._answers.size

    def holds(self, resource: str) -> bool:
        """Return whether answers of this resource are kept."""
        return resource in self._resources

    def fresh(self, resource: str, query: str) -> CachedAnswer[Answer] | None:
        """Return the answer to this query that replaces a call to the ERP."""
        return self._answers.find((resource, query), self._fresh_s)

    def stale(self, resource: str, query: str) -> CachedAnswer[Answer] | None:
        """Return the answer to this query for the time in which the ERP does not respond."""
        return self._answers.find((resource, query), self._stale_s)

    def read_sent(self, resource: str) -> ReadStamp:
        """Return the state of the resource while a read is being sent; pass it to `keep`."""
        state, start = self._resources[resource], self._answers.start()
        is_sure = not state.writing and start.at >= state.unsure_until
        return ReadStamp(resource, start, state.generation if is_sure else None)

    def keep(self, stamp: ReadStamp, query: str, answer: Answer) -> None:
        """Keep the answer of a read, unless the resource was written after the read was sent.

        Args:
            stamp: from `read_sent`.
            query: the key and the query of the read, written anew.
            answer: the answer of the ERP.
        """
        if stamp.generation == self._resources[stamp.resource].generation:
            keep_s = max(self._fresh_s, self._stale_s)
            self._answers.keep((stamp.resource, query), answer, stamp.start, keep_s)

    def write_sent(self, resource: str) -> None:
        """Clear the answers of a resource whose write is being sent."""
        state = self._resources.get(resource)
        if state is not None:
            state.writing += 1
            self._clear(resource, state)

    def write_ended(self, resource: str, *, sent: bool, unknown: bool) -> None:
        """Clear the answers of a resource whose write has ended.

        Args:
            resource: the resource.
            sent: whether `write_sent` was called for this write.
            unknown: whether the outcome is unknown.
        """
        state = self._resources.get(resource)
        if state is None:
            return
        state.writing -= sent
        if unknown:
            state.unsure_until = self._clock.monotonic() + UNSURE_S
        self._clear(resource, state)

    def _clear(self, resource: str, state: _Resource) -> None:
        state.generation += 1
        self._answers.forget(lambda key: key[0] == resource)


def _size_of(key: tuple[str, str], answer: Answer) -> int:
    content = answer.rows if isinstance(answer, ErpList) else answer.body
    return len(content) + len(key[0]) + len(key[1]) + ENTRY_BYTES

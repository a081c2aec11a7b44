"""Reading reference data, and for how long what was read may be believed.

Nobody may be shown something older than a write that passed through the gateway. So a write forgets its
resource when it is sent and again when it ends, however that was, and nothing is kept that a call read which
was sent before that end. After an unknown outcome the ERP may still be at work on the write; until
`UNSURE_S` have passed nothing of the resource is kept or answered.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeAlias, TypeVar, cast

import attrs
from attrs import define, frozen

from erpclient import Caller, ErpError, ErpList, ErpRecord, ErpTimeout, ErpUnreachable, ErpUnwell, Phase
from servicekit.cache import Cache, CachedAnswer, ReadStart
from servicekit.clock import Clock

MAX_BYTES: Final = 16 * 1024 * 1024

UNSURE_S: Final = 600.0
"""How long a write with an unknown outcome may still be carried out."""

ENTRY_BYTES: Final = 1_024
"""What an entry counts beside its answer and its query: twice what was measured, some 470 bytes."""

Answer: TypeAlias = ErpList | ErpRecord


A = TypeVar("A", ErpList, ErpRecord)


@frozen
class Sent:
    """That a read was sent: what of its resource was known then.

    Attributes:
        resource: what it reads.
        start: when.
        generation: how often the resource had been written; `None` when the answer must not be kept.
    """

    resource: str
    start: ReadStart
    generation: int | None


@define
class _Resource:
    """What is known of one resource; `writing`: how many writes are with the ERP."""

    generation: int = 0
    writing: int = 0
    unsure_until: float = 0.0


class ReferenceCache:
    """Keeps answers of reference resources, the most recently used ones, within a bound.

    Args:
        resources: the names of the reference resources; of others nothing is kept.
        clock: time.
        fresh_s: how old an answer may be that is given instead of asking the ERP; 0: none is.
        stale_s: how old one may be that is given while the ERP gives none; 0: none is.
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
        """Return how many answers are held."""
        return len(self._answers)

    @property
    def size(self) -> int:
        """Bytes that are held, keys and what an entry itself takes included."""
        return self._answers.size

    def holds(self, resource: str) -> bool:
        """Whether anything of this resource is ever kept."""
        return resource in self._resources

    def fresh(self, resource: str, query: str) -> CachedAnswer[Answer] | None:
        """Return the answer to this query that may be given instead of asking the ERP."""
        return self._answers.find((resource, query), self._fresh_s)

    def stale(self, resource: str, query: str) -> CachedAnswer[Answer] | None:
        """Return the answer to this query that may be given while the ERP gives none."""
        return self._answers.find((resource, query), self._stale_s)

    def read_sent(self, resource: str) -> Sent:
        """Take note that a read is being sent; the value is for `keep`."""
        known, start = self._resources[resource], self._answers.start()
        sure = not known.writing and start.at >= known.unsure_until
        return Sent(resource, start, known.generation if sure else None)

    def keep(self, sent: Sent, query: str, answer: Answer) -> None:
        """Keep what a read brought, unless its resource was written since it was sent, or a later read came.

        Args:
            sent: of the read.
            query: the key and the query of the read, written anew.
            answer: what it brought.
        """
        if sent.generation == self._resources[sent.resource].generation:
            keep_s = max(self._fresh_s, self._stale_s)
            self._answers.keep((sent.resource, query), answer, sent.start, keep_s)

    def writing(self, resource: str) -> "Writing":
        """Return what is to be told of one write to this resource."""
        return Writing(self, resource)

    def write_sent(self, resource: str) -> None:
        """Forget the resource: a write to it is being sent."""
        known = self._resources.get(resource)
        if known is not None:
            known.writing += 1
            self._forget(resource, known)

    def write_ended(self, resource: str, *, sent: bool, unknown: bool) -> None:
        """Forget the resource: a write to it has ended.

        Args:
            resource: what was written.
            sent: whether `write_sent` was told of it.
            unknown: whether the ERP may have done it, or may still do it, and nobody knows.
        """
        known = self._resources.get(resource)
        if known is None:
            return
        known.writing -= sent
        if unknown:
            known.unsure_until = self._clock.monotonic() + UNSURE_S
        self._forget(resource, known)

    def _forget(self, resource: str, known: _Resource) -> None:
        known.generation += 1
        self._answers.forget(lambda key: key[0] == resource)


class Writing:
    """One write, as the memory is told of it.

    Args:
        memory: what forgets.
        resource: what is written.
    """

    def __init__(self, memory: ReferenceCache, resource: str) -> None:
        self._memory = memory
        self._resource = resource
        self._sent = False

    def sent(self) -> None:
        """Tell that its turn has come."""
        self._sent = True
        self._memory.write_sent(self._resource)

    def ended(self, *, unknown: bool) -> None:
        """Tell that it has ended, and whether nobody knows how."""
        self._memory.write_ended(self._resource, sent=self._sent, unknown=unknown)


def _size_of(key: tuple[str, str], answer: Answer) -> int:
    content = answer.rows if isinstance(answer, ErpList) else answer.body
    return len(content) + len(key[0]) + len(key[1]) + ENTRY_BYTES


@frozen
class CacheKey:
    """What is to be read of a reference resource.

    Attributes:
        resource: its name.
        query: the key of the record, if it is one, and the query, written anew.
        past_memory: whether the client wants the ERP's own answer, and no other.
    """

    resource: str
    query: str
    past_memory: bool


async def read_reference(
    memory: ReferenceCache, key: CacheKey, caller: Caller, read: Callable[[Caller], Awaitable[A]]
) -> CachedAnswer[A]:
    """Answer from memory, or from the ERP and keep it.

    Args:
        memory: what was read before.
        key: what to read.
        caller: for whom.
        read: asks the ERP; its call may be shared with others who wait for the same.

    Raises:
        ErpError: as `read`, unless memory has an answer that is not too old for that.
    """
    if not key.past_memory:
        held = memory.fresh(key.resource, key.query)
        if held is not None:
            return _told(held)
    sent = memory.read_sent(key.resource)

    def begun() -> None:
        nonlocal sent
        sent = memory.read_sent(key.resource)

    try:
        answer = await read(attrs.evolve(caller, begun=begun))
    except ErpError as error:
        held = None if key.past_memory else memory.stale(key.resource, key.query)
        if held is None or not tells_of_no_erp(error):
            raise
        return _told(held, stale=True)
    memory.keep(sent, key.query, answer)
    return CachedAnswer(answer)


def tells_of_no_erp(error: ErpError) -> bool:
    """Tell whether a read failed because the ERP can't be reached, or is known to give no answers."""
    if isinstance(error, ErpTimeout):
        return error.phase is Phase.CONNECT
    return isinstance(error, ErpUnreachable | ErpUnwell)


def _told(held: CachedAnswer[Answer], *, stale: bool = False) -> CachedAnswer[A]:
    # A page and a record never stand under one key: a record's query begins with its key in parentheses.
    return CachedAnswer(cast("A", held.answer), held.age_s, stale)

"""Reading reference data: from memory while it is fresh, else from the ERP, else what memory still has."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar, cast

import attrs
from attrs import frozen

from erp_gateway.proxy.reference.memory import Held, ReferenceMemory
from erpclient import Caller, ErpError, ErpList, ErpRecord, ErpTimeout, ErpUnreachable, ErpUnwell, Phase

A = TypeVar("A", ErpList, ErpRecord)


@frozen
class Told(Generic[A]):
    """An answer, and where it is from.

    Attributes:
        answer: the page or the record.
        age_s: seconds since it was read, where it is from memory; `None` where the ERP just gave it.
        stale: whether it was given because the ERP gives no answers.
    """

    answer: A
    age_s: float | None = None
    stale: bool = False


@frozen
class Wanted:
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
    memory: ReferenceMemory, wanted: Wanted, caller: Caller, read: Callable[[Caller], Awaitable[A]]
) -> Told[A]:
    """Answer from memory, or from the ERP and keep it.

    Args:
        memory: what was read before.
        wanted: what to read.
        caller: for whom.
        read: asks the ERP; its call may be shared with others who wait for the same.

    Raises:
        ErpError: as `read`, unless memory has an answer that is not too old for that.
    """
    if not wanted.past_memory:
        held = memory.fresh(wanted.resource, wanted.query)
        if held is not None:
            return _told(held)
    sent = memory.read_sent(wanted.resource)

    def begun() -> None:
        nonlocal sent
        sent = memory.read_sent(wanted.resource)

    try:
        answer = await read(attrs.evolve(caller, begun=begun))
    except ErpError as error:
        held = None if wanted.past_memory else memory.stale(wanted.resource, wanted.query)
        if held is None or not tells_of_no_erp(error):
            raise
        return _told(held, stale=True)
    memory.keep(sent, wanted.query, answer)
    return Told(answer)


def tells_of_no_erp(error: ErpError) -> bool:
    """Tell whether a read failed because the ERP can't be reached, or is known to give no answers."""
    if isinstance(error, ErpTimeout):
        return error.phase is Phase.CONNECT
    return isinstance(error, ErpUnreachable | ErpUnwell)


def _told(held: Held, *, stale: bool = False) -> Told[A]:
    # A page and a record never stand under one key: a record's query begins with its key in parentheses.
    return Told(cast("A", held.answer), held.age_s, stale)

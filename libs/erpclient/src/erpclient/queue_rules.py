"""Limits of a queue and its errors."""

from collections.abc import Callable, Mapping

from attrs import field, frozen

Refusal = Callable[[], Exception]
"""Creates the error of a refusal. A shared instance would keep the frames of earlier raises alive."""


@frozen(kw_only=True)
class QueueRules:
    """Limits of a queue and its errors.

    Attributes:
        capacity: total size of concurrent work.
        capacity_per_user: limit of one user; larger work runs alone. ``None``: no limit.
        capacity_per_kind: limit of one kind of work. ``None``: no limit.
        max_waiting: most waiting requests; ``None`` for any number.
        max_waiting_per_user: most waiting requests of one user; ``None`` for any number.
        by_use: serve the user with the least recent use of the ERP first (:class:`RecentUse`), not round
            robin. If all places are taken, the user with the most waiting requests loses the newest one.
        reserved: number of places in ``max_waiting`` that are reserved for a class of requests, by its name.
        wait_s: longest wait.
        full: creates the error for a full queue, from ``total`` or ``user``.
        too_late: creates the error for a wait that timed out.
        closed: creates the error for waiting and new requests of a closed queue.
    """

    capacity: int
    capacity_per_user: int | None = None
    capacity_per_kind: int | None = None
    max_waiting: int | None = None
    max_waiting_per_user: int | None = None
    by_use: bool = False
    reserved: Mapping[str, int] = field(factory=dict)
    wait_s: float
    full: Callable[[str], Exception]
    too_late: Refusal
    closed: Refusal

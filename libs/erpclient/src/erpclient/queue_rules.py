"""Limits of a queue and its errors."""

from collections.abc import Callable, Mapping

from attrs import field, frozen

Refusal = Callable[[], Exception]
"""Makes the error of one who is refused: a kept one would hold the frames that it was raised in."""


@frozen(kw_only=True)
class QueueRules:
    """What a queue lets through at a time, what may wait for it, and how it refuses.

    Attributes:
        capacity: sizes of the work that is done at a time, together.
        capacity_per_user: of it, what one user has at most; a larger piece passes alone. ``None``: all of it.
        capacity_per_kind: of it, what one kind of work has at most, whoever asks for it. ``None``: all of it.
        max_waiting: most who wait in all; ``None`` for any number.
        max_waiting_per_user: most of one user who wait; ``None`` for any number.
        by_use: serve the user first who used the least time recently (:class:`RecentUse`), instead of going
            round. When all places are taken, the user with the most waiting requests loses the newest one.
        reserved: of ``max_waiting``, how many places are for one class of requests only, by its name.
        wait_s: longest wait.
        full: makes the error for one too many; it is told ``total`` or ``user``.
        too_late: makes the error for one who waited so long.
        closed: makes the error for each who waits or comes when no work is taken any more.
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

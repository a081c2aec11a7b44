"""The queue before the ERP."""

from attrs import frozen


@frozen
class QueueStats:
    """How full the queue is at this moment.

    Attributes:
        waiting: requests that wait for their turn.
        in_flight: calls that are with the ERP.
    """

    waiting: int
    in_flight: int

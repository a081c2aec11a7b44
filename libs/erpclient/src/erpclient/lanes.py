"""Keys of the queue's lanes: a user's name, or a part of a service."""

from typing import TypeAlias

from attrs import frozen


@frozen
class InternalLane:
    """Lane of an internal task. It has its own type, so it never equals a user's name.

    Attributes:
        name: its name.
        is_background: whether its work waits until no other lane has any.
    """

    name: str
    is_background: bool = False


Lane: TypeAlias = str | InternalLane
"""Requests of one lane keep their order. A string is a user's name."""


def lane_name(lane: Lane) -> str:
    """Return a lane's display name."""
    return lane.name if isinstance(lane, InternalLane) else lane


def is_background(lane: Lane) -> bool:
    """Return whether the work of a lane waits until no other lane has any."""
    return isinstance(lane, InternalLane) and lane.is_background

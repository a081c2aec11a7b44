"""Keys of the queue's lanes: a user's name, or a part of a service."""

from typing import TypeAlias

from attrs import frozen


@frozen
class InternalLane:
    """Lane of a part of a service. It is a type of its own, so that it never equals a user's name."""

    name: str


Lane: TypeAlias = str | InternalLane
"""Requests of one lane keep their order; a plain text is a user's name."""


def lane_name(lane: Lane) -> str:
    """Return what people call a lane."""
    return lane.name if isinstance(lane, InternalLane) else lane

"""Background work: repeated, continued after its caller disconnected, or followed by several callers."""

from servicekit.tasks.cancellation import finish
from servicekit.tasks.following import FollowedTask
from servicekit.tasks.periodic import every

__all__ = [
    "FollowedTask",
    "every",
    "finish",
]

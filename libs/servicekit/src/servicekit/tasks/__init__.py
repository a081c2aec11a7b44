"""Background work: repeated, finished after its caller left, or followed by several callers."""

from servicekit.tasks.cancellation import finish
from servicekit.tasks.following import FollowedTask
from servicekit.tasks.periodic import every

__all__ = [
    "FollowedTask",
    "every",
    "finish",
]

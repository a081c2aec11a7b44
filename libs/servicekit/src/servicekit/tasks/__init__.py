"""Work beside requests: repeated, finished although its caller left, or followed by several."""

from servicekit.tasks.cancellation import finish
from servicekit.tasks.following import FollowedTask
from servicekit.tasks.periodic import every

__all__ = [
    "FollowedTask",
    "every",
    "finish",
]

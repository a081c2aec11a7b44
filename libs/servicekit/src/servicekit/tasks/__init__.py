"""Work beside requests: repeated while a process serves, finished or followed although its caller left."""

from servicekit.tasks.cancellation import finish
from servicekit.tasks.following import Following
from servicekit.tasks.periodic import every

__all__ = ["Following", "every", "finish"]

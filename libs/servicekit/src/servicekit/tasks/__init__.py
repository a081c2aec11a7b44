"""Work beside requests: repeated while a process serves, or finished although its caller left."""

from servicekit.tasks.cancellation import finish
from servicekit.tasks.periodic import every

__all__ = ["every", "finish"]

"""What every request gets: an id, its facts, common headers, the error body, one canonical log line.

One pure ASGI middleware does all of it (see `request_log.middleware`), because it stands on the way of every
request.
"""

from servicekit.request_log.facts import RequestFacts, request_facts
from servicekit.request_log.failures import RecentFailures
from servicekit.request_log.middleware import (
    CLIENT_LEFT,
    STOPPING,
)

__all__ = [
    "CLIENT_LEFT",
    "STOPPING",
    "RecentFailures",
    "RequestFacts",
    "request_facts",
]

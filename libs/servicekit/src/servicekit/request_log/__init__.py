"""Request id, request facts, common headers, error body and one canonical log line for every request.

One pure ASGI middleware does all of it (see `request_log.middleware`), because every request passes it.
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

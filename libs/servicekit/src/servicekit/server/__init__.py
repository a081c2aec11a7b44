"""Serving: HTTP/1.1 in our own event loop, one process, and a shutdown that loses no work.

hypercorn reads and writes HTTP. Accepting and ending connections is ours, because hypercorn's own `serve`
waits for ever on newer Pythons if a request does not finish, sends an empty 500 to requests that outlast its
grace, drops late requests without a response, and keeps a connection with another pipelined request open.
Only `hypercorn_parts` uses internals of hypercorn, and only `request_head` those of its parser h11.
"""

from servicekit.server.process import run
from servicekit.server.serving import serve, serving_beside
from servicekit.server.settings import ServerSettings

__all__ = ["ServerSettings", "run", "serve", "serving_beside"]

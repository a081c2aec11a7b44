"""Serving: HTTP/1.1 in our own event loop, one process, and a shutdown that loses no work.

hypercorn reads and writes HTTP; accepting connections and ending them is ours. At the end its own `serve`
waits for ever on newer Pythons where a request does not finish, answers an empty 500 to what outlasts its
grace, tells late requests nothing, and holds on to a connection on which another request is pipelined.
Only `hypercorn_parts` uses internals of hypercorn, and only `request_head` those of its parser h11.
"""

from servicekit.server.process import run
from servicekit.server.serving import serve, serving_beside
from servicekit.server.settings import ServerSettings

__all__ = ["ServerSettings", "run", "serve", "serving_beside"]

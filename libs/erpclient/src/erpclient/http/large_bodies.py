"""Parsing of bodies; large ones are parsed in a thread."""

import asyncio
from collections.abc import Callable
from typing import Concatenate, Final, ParamSpec, TypeVar

LARGE_BODY_BYTES: Final = 512 * 1024
"""From this size a body is read in a thread, because reading blocks the event loop for milliseconds."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


async def read_body(
    read: Callable[Concatenate[bytes, _P], _T], body: bytes, *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Read a body with one of the functions of :mod:`erpclient.http.bodies`, a large one in a thread.

    Raises:
        ErpReplyUnreadable: as the function does.
    """
    if len(body) < LARGE_BODY_BYTES:
        return read(body, *args, **kwargs)
    return await asyncio.to_thread(read, body, *args, **kwargs)

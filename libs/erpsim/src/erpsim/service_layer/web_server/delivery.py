"""Transport of a response over its connection: whole and compressed, or as a fault requires."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import struct
import zlib
from typing import Final

import attrs
from aiohttp import web

from erpsim.faults import (
    CutAfterAnswer,
    DeliveryAction,
    Drip,
    Drop,
    Garbage,
    GzipBomb,
    Hang,
    Oversize,
    Truncate,
)
from erpsim.service_layer.web_server.balancer import SERVER_NAME
from erpsim.service_layer.wire.messages import SlReply

_TEXT: Final = re.compile(r"json|xml|text/|multipart/")
_GZIP_WINDOW: Final = 31
_FAST: Final = 1
_CHUNK_BYTES: Final = 65_536
_NO_LINGER: Final = struct.pack("ii", 1, 0)


@attrs.frozen(kw_only=True)
class _Pace:
    """Timing of a body's pieces.

    Args:
        pieces: the sent pieces.
        interval_s: pause between two pieces.
        hang_s: pause after the last one.
        cut_after: whether the connection closes afterwards.
    """

    pieces: list[bytes]
    interval_s: float = 0.0
    hang_s: float = 0.0
    cut_after: bool = False


async def deliver(
    request: web.BaseRequest,
    reply: SlReply,
    action: DeliveryAction | None,
    *,
    server: str = SERVER_NAME,
    gzip: bool = True,
) -> web.StreamResponse:
    """Send a response, compressed if the client accepts gzip, and modified by a fault's action.

    Args:
        request: the request it answers.
        reply: the finished answer.
        action: the fault, None for none.
        server: value of the `Server` header.
        gzip: whether the server compresses at all.
    """
    reply = reply.with_headers(("Server", server))
    whole = _compressed(request, reply) if gzip else reply
    match action:
        case None:
            return _response(whole)
        case Drop(reset=reset):
            return cut(request, reset=reset)
        case Garbage() | GzipBomb():
            return _response(_spoilt(reply, action))
        case Oversize(size_bytes=size):
            return await _send_oversize(request, reply, size)
        case _:
            return await _send(request, whole, _pace(whole.body, action))


def _pace(body: bytes, action: Truncate | Drip | Hang | CutAfterAnswer) -> _Pace:
    match action:
        case Truncate(keep_bytes=kept):
            return _Pace(pieces=[body[:kept]], cut_after=True)
        case Drip(chunk_bytes=size, interval_s=interval_s):
            pieces = [body[at : at + size] for at in range(0, len(body), size)]
            return _Pace(pieces=pieces, interval_s=interval_s)
        case Hang(after_bytes=sent, seconds=seconds):
            return _Pace(pieces=[body[:sent]], hang_s=seconds, cut_after=True)
        case CutAfterAnswer():
            return _Pace(pieces=[body], cut_after=True)


def _spoilt(reply: SlReply, action: Garbage | GzipBomb) -> SlReply:
    match action:
        case Garbage(size_bytes=size):
            return attrs.evolve(reply, body=_garbage(size))
        case GzipBomb(unpacked_bytes=size):
            return attrs.evolve(reply, body=_bomb(size)).with_headers(("Content-Encoding", "gzip"))


def cut(request: web.BaseRequest, *, reset: bool) -> web.StreamResponse:
    """Close the connection abruptly.

    Args:
        request: a request on the connection.
        reset: whether to send a TCP reset (`ECONNRESET` at the client) instead of the end of the stream.
    """
    transport = request.transport
    if transport is not None:
        if reset:
            _forget_unsent(transport)
            transport.abort()
        else:
            transport.close()
    return web.Response()


def _forget_unsent(transport: asyncio.Transport) -> None:
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)


def _response(reply: SlReply) -> web.Response:
    response = web.Response(status=reply.status, body=reply.body or None)
    _fill_headers(response, reply)
    return response


def _fill_headers(response: web.StreamResponse, reply: SlReply) -> None:
    for name, value in reply.headers:
        if name == "Connection" and value == "close":
            response.force_close()
        else:
            response.headers.add(name, value)


def _compressed(request: web.BaseRequest, reply: SlReply) -> SlReply:
    """Return a text in gzip when the client takes it; production clients use it (a field report)."""
    # Files are not compressed: web servers compress the configured types, usually texts (assumed).
    packs = "gzip" in request.headers.get("Accept-Encoding", "").lower()
    if not reply.body or not packs or not _TEXT.search(reply.header("Content-Type")):
        return reply
    packer = zlib.compressobj(_FAST, zlib.DEFLATED, _GZIP_WINDOW)
    body = packer.compress(reply.body) + packer.flush()
    return attrs.evolve(reply, body=body).with_headers(
        ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")
    )


async def _send(request: web.BaseRequest, reply: SlReply, pace: _Pace) -> web.StreamResponse:
    response = web.StreamResponse(status=reply.status)
    _fill_headers(response, reply)
    response.content_length = len(reply.body)
    with contextlib.suppress(ConnectionError):  # the client may have gone
        await response.prepare(request)
        for number, piece in enumerate(pace.pieces):
            if number:
                await asyncio.sleep(pace.interval_s)
            await response.write(piece)
        await asyncio.sleep(pace.hang_s)
        if not pace.cut_after:
            await response.write_eof()
    if pace.cut_after and request.transport is not None:
        request.transport.close()
    return response


async def _send_oversize(request: web.BaseRequest, reply: SlReply, size: int) -> web.StreamResponse:
    head, tail = b'{"value" : "', b'"}\n'
    response = web.StreamResponse(status=reply.status)
    _fill_headers(response, reply)
    response.content_length = size
    filler = max(size - len(head) - len(tail), 0)
    with contextlib.suppress(ConnectionError):  # a careful client hangs up
        await response.prepare(request)
        await response.write(head)
        while filler:
            piece = min(filler, _CHUNK_BYTES)
            await response.write(b"x" * piece)
            filler -= piece
        await response.write(tail)
        await response.write_eof()
    return response


def _garbage(size: int) -> bytes:
    return (b'{"value" : [<\x00\xff' * (size // 14 + 1))[:size]


def _bomb(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP_WINDOW)
    blanks = b" " * _CHUNK_BYTES
    packed = [packer.compress(blanks) for _ in range(size // _CHUNK_BYTES)]
    return b"".join([*packed, packer.compress(b" " * (size % _CHUNK_BYTES)), packer.flush()])

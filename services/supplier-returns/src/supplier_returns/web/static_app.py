"""Compiled web application, served from one folder next to the API.

Each request looks up its file, so that you can copy a new version over a running service.
"""

import asyncio
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, final
from urllib.parse import unquote_to_bytes

from attrs import frozen
from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.endpoint.routing import encoded_path
from servicekit.errors import MethodNotAllowed, NotFound
from servicekit.request_log import request_facts
from supplier_returns.web.byte_ranges import usable_range

INDEX: Final = "index.html"

IMMUTABLE: Final = "public, max-age=31536000, immutable"
"""Cache header of a file whose name contains a hash of its content: one year."""

REVALIDATE: Final = "no-cache"

_HASHED: Final = re.compile(
    r"""
    .+[.-]
    (?: [A-Z2-7]{8}                                         # esbuild: base32
    |   (?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,64}        # webpack: hexadecimal, and no date
    |   (?=[\w-]*[a-z])(?=[\w-]*[A-Z])                      # Vite: base64url, no `AdminApp`, no `Bodega01`:
        (?=(?:[_-]*(?>[A-Z]?[a-z]+|[A-Z]+|[0-9]+)){4})      # four pieces are more than words have
        [\w-]{8}
    )
    (?:\.[a-z0-9]+)+
    """,
    re.VERBOSE | re.ASCII,
)
"""File names of build tools: `main-5XHDFJ3K.js`, `styles.3f2a1b4c.css`, `index-BNbZ0Hx_.js`.

One base64url hash in five looks like words and is revalidated. That costs a 304 response, while a word
mistaken for a hash would serve an old file for a year.
"""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_SEPARATOR: Final = re.compile(r"[/\\]")
_NO_FILE: Final = re.compile(r"[/\\:]")
_BASE: Final = re.compile(rb"<base\s[^>]*>", re.IGNORECASE)
_HEAD: Final = re.compile(rb"<head(?:\s[^>]*)?>", re.IGNORECASE)
_PRECOMPRESSED: Final = (("br", ".br"), ("gzip", ".gz"))
_TYPES: Final = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".txt": "text/plain",
    ".json": "application/json",
    ".map": "application/json",
    ".webmanifest": "application/manifest+json",
    ".xml": "application/xml",
    ".wasm": "application/wasm",
    ".pdf": "application/pdf",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".ico": "image/x-icon",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".ttf": "font/ttf",
}
"""Media types by suffix. The platform's table differs between machines, and the service sends `nosniff`."""

_WEB_SUFFIXES: Final = frozenset(_TYPES) | {
    *(".br", ".gz", ".zip", ".otf", ".eot", ".bmp", ".tif", ".tiff", ".cur", ".apng"),
    *(".mp3", ".mp4", ".ogg", ".wav", ".webm", ".htm", ".cjs", ".csv", ".xlsx"),
}
"""Suffixes that always mean a file. A record key in a route may have any other suffix: `TUB-1.5MM`."""


@frozen
class _StaticFile:
    """File to send, and its encoding on disk."""

    path: Path
    stat: os.stat_result
    encoding: str | None


@final
class StaticApp:
    """Serves files, and `index.html` for the routes of the web application.

    Args:
        folder: compiled application.
        csp: Content-Security-Policy of every response.
        show_sources: whether to serve source maps.
    """

    def __init__(self, folder: Path, *, csp: str, show_sources: bool) -> None:
        self._folder = folder.resolve()
        self._csp = csp
        self._show_sources = show_sources

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a file or a route.

        Raises:
            NotFound: there is no such file or route.
            MethodNotAllowed: the method is neither GET nor HEAD.
        """
        names = _file_names(encoded_path(scope))
        if scope["method"] not in ("GET", "HEAD"):
            raise MethodNotAllowed(headers={"Allow": "GET, HEAD"})
        if not _is_web_file(names[-1]) and not await asyncio.to_thread(self._exists, names):
            names = [INDEX]
        headers = Headers(scope=scope)
        prefix = request_facts(scope).prefix if names == [INDEX] else ""
        # The page gets a base element, so its compressed twin does not match it.
        accepted = "" if prefix else headers.get("accept-encoding", "")
        file = await asyncio.to_thread(self._find, names, accepted)
        response = await self._index_below(prefix, file) if prefix else self._file(file, names[-1])
        # One route name for all files keeps the number of metric labels small.
        request_facts(scope).route = "(web application)"
        if _etag_matches(headers.get("if-none-match", ""), response.headers["etag"]):
            await _not_modified(response)(scope, receive, send)
            return
        await response(_with_usable_range(scope, headers, file.stat.st_size), receive, send)

    def _find(self, names: Sequence[str], accepted: str) -> _StaticFile:
        """Find the file, or its compressed twin if the client accepts it.

        A link must not lead out of the folder.

        Raises:
            NotFound: there is no such file.
        """
        if names[-1].endswith((".br", ".gz")) or (names[-1].endswith(".map") and not self._show_sources):
            raise NotFound
        plain = self._inside(self._folder.joinpath(*names))
        if plain is None:
            raise NotFound
        for encoding, suffix in _PRECOMPRESSED:
            if _accepts(accepted, encoding):
                packed = self._inside(self._folder.joinpath(*names[:-1], names[-1] + suffix))
                if packed is not None:
                    return _StaticFile(packed, packed.stat(), encoding)
        return _StaticFile(plain, plain.stat(), None)

    def _exists(self, names: Sequence[str]) -> bool:
        return self._inside(self._folder.joinpath(*names)) is not None

    def _inside(self, path: Path) -> Path | None:
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):  # before Python 3.13 a loop of links is a RuntimeError
            return None
        return real if real.is_relative_to(self._folder) and real.is_file() else None

    def _file(self, file: _StaticFile, name: str) -> Response:
        return FileResponse(
            file.path,
            headers=self._headers(name, file.encoding),
            media_type=_TYPES.get(Path(name).suffix.lower(), "application/octet-stream"),
            stat_result=file.stat,
        )

    async def _index_below(self, prefix: str, file: _StaticFile) -> Response:
        """Return `index.html` for an application that a proxy publishes under a prefix."""
        content = _with_base(await asyncio.to_thread(file.path.read_bytes), prefix)
        headers = self._headers(INDEX, None) | {"ETag": f'"{hashlib.sha256(content).hexdigest()[:32]}"'}
        return Response(content, headers=headers, media_type=_TYPES[".html"])

    def _headers(self, name: str, encoding: str | None) -> dict[str, str]:
        headers = {
            "Cache-Control": IMMUTABLE if _HASHED.fullmatch(name) else REVALIDATE,
            "Content-Security-Policy": self._csp,
            "Vary": "Accept-Encoding",
        }
        return headers if encoding is None else headers | {"Content-Encoding": encoding}


def _with_usable_range(scope: Scope, headers: Headers, size: int) -> Scope:
    """Return the scope with the usable ranges. Only GET has any (RFC 9110, section 14.2)."""
    lines = headers.getlist("range")
    if not lines:
        return scope
    usable = usable_range(lines, size) if scope["method"] == "GET" else None
    others = [header for header in scope["headers"] if header[0] != b"range"]
    return {**scope, "headers": others + ([] if usable is None else [(b"range", usable.encode("ascii"))])}


def create_static_app(folder: Path | None, *, csp: str, show_sources: bool) -> ASGIApp | None:
    """Create the application for the folder, if one is configured."""
    return None if folder is None else StaticApp(folder, csp=csp, show_sources=show_sources)


def _file_names(path: str) -> list[str]:
    """Return the folders and the file name for a path outside `/api`.

    If the last segment has no dot, it is a route of the application, whatever escapes the segments contain.
    The same holds for a segment with a character that no file name has, unless it has a web suffix.

    Raises:
        NotFound: the path belongs to the API, or a segment is not a plain name.
    """
    try:
        segments = [unquote_to_bytes(part).decode("utf-8") for part in path.split("/")[1:]]
    except UnicodeDecodeError:
        raise NotFound from None
    if segments == [""]:
        return [INDEX]
    if segments and segments[-1] == "":
        segments.pop()
    pieces = [piece for segment in segments for piece in _SEPARATOR.split(segment)]
    if not segments or not all(segments) or pieces[0] == "api":
        raise NotFound
    if any(piece.startswith(".") or _CONTROL.search(piece) for piece in pieces):
        raise NotFound
    if "." not in segments[-1]:
        return [INDEX]
    if any(_NO_FILE.search(segment) for segment in segments):
        if _is_web_file(segments[-1]):
            raise NotFound
        return [INDEX]
    return segments


def _is_web_file(name: str) -> bool:
    return Path(name).suffix.lower() in _WEB_SUFFIXES


def _with_base(page: bytes, prefix: str) -> bytes:
    base = f'<base href="{prefix}/">'.encode()
    if _BASE.search(page):
        return _BASE.sub(base, page, count=1)
    return _HEAD.sub(lambda head: head[0] + base, page, count=1)


def _accepts(header: str, encoding: str) -> bool:
    return next((taken for name, taken in _codings(header) if name == encoding), False)


def _codings(header: str) -> Iterator[tuple[str, bool]]:
    for part in header.split(","):
        name, _, parameters = part.partition(";")
        yield name.strip().lower(), not re.fullmatch(r"\s*q=0(?:\.0*)?\s*", parameters)


def _etag_matches(if_none_match: str, tag: str) -> bool:
    tags = [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    return tag in tags or tags == ["*"]


def _not_modified(response: Response) -> Response:
    allowed = ("cache-control", "content-security-policy", "etag", "vary", "last-modified")
    headers = {name: value for name, value in response.headers.items() if name in allowed}
    return Response(status_code=304, headers=headers)

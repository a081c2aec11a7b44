"""Responses with a finished file, or with an export that is still growing."""

from collections.abc import AsyncIterator, Callable, Mapping

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from erp_gateway.files.exports.open_export import OpenExport
from erp_gateway.files.exports.pace import PaceRules, send_download
from erp_gateway.web.disconnects import Check, cancel_on_disconnect
from erp_gateway.web.download_names import content_disposition
from servicekit.erp.errors import ClientGone
from servicekit.request_log import request_facts


async def checked_chunks(chunks: AsyncIterator[bytes], check: Check) -> AsyncIterator[bytes]:
    """Yield chunks while the user may have them."""
    async for chunk in chunks:
        check()
        yield chunk


class FileResponse(Response):
    """Sends a finished file at the client's speed and closes it.

    Args:
        chunks: its bytes.
        size: in bytes.
        headers: its type and name.
        pace: minimum speed of the client.
        check: raises once the user loses the right to the file; the response is then aborted.
        close: closes the file.
    """

    def __init__(
        self,
        chunks: AsyncIterator[bytes],
        size: int,
        headers: Mapping[str, str],
        pace: PaceRules,
        *,
        check: Check,
        close: Callable[[], object],
    ) -> None:
        super().__init__(headers={**headers, "Content-Length": str(size)})
        self._chunks = chunks
        self._pace = pace
        self._check = check
        self._close = close

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        chunks = checked_chunks(self._chunks, self._check)
        try:
            await send_download(self, chunks, self._pace, scope, send)
        finally:
            self._close()


class ExportResponse(Response):
    """Sends an export while it grows and closes it.

    An error in the middle is raised. The server then closes the connection before the end of the body, so the
    client notices that the file is incomplete.

    Args:
        export: the export.
    """

    def __init__(self, export: OpenExport) -> None:
        options = export.options
        super().__init__(media_type=None)
        self._export = export
        del self.headers["content-length"]
        self.headers["content-type"] = options.format.media_type
        self.headers["content-disposition"] = content_disposition(
            export.name, options.format.value, inline=options.inline
        )
        if export.size is not None:
            self.headers["content-length"] = str(export.size)

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def gone() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        request_facts(scope).extra["export"] = self._export.options.format.value
        async with self._export as export:
            try:
                await cancel_on_disconnect(
                    send_download(
                        self, checked_chunks(export.chunks(), export.check), export.pace, scope, send
                    ),
                    gone,
                )
            except ClientGone as error:
                raise ClientDisconnect from error

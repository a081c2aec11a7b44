"""A file as the answer of a request: one that is there, or an export as it comes."""

from collections.abc import AsyncIterator, Callable, Mapping

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from erp_gateway.files.exports.exporter import OpenExport
from erp_gateway.files.exports.pace import PaceRules, send_download
from erp_gateway.web.attachments import content_disposition
from erp_gateway.web.disconnects import Check, cancel_on_disconnect
from servicekit.erp.errors import ClientGone
from servicekit.request_log import request_facts


async def checked_chunks(chunks: AsyncIterator[bytes], check: Check) -> AsyncIterator[bytes]:
    """Yield chunks for as long as the person may have them."""
    async for chunk in chunks:
        check()
        yield chunk


class FileResponse(Response):
    """Sends a file that is there, as fast as its client takes it, and lets it go afterwards.

    Args:
        chunks: what it holds.
        size: in bytes.
        headers: its type and its name.
        pace: what the client must take.
        check: raises once the person may not have it any more; the answer then breaks off.
        close: lets it go.
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
    """Sends a file as it comes, and lets everything of it go afterwards, whatever happens.

    What fails in the middle is raised: the server then ends the connection without the end of the body, so
    that nobody takes the beginning for the whole.

    Args:
        export: what to send.
    """

    def __init__(self, export: OpenExport) -> None:
        asked = export.asked
        super().__init__(media_type=None)
        self._export = export
        del self.headers["content-length"]
        self.headers["content-type"] = asked.format.media_type
        self.headers["content-disposition"] = content_disposition(
            export.name, asked.format.value, inline=asked.inline
        )
        if export.size is not None:
            self.headers["content-length"] = str(export.size)

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def gone() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        request_facts(scope).extra["export"] = self._export.asked.format.value
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

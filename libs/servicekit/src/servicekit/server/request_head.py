"""Heads of requests, read by h11 within limits."""

import re
from typing import Final, final

import h11
from typing_extensions import override

_EMPTY_LINES: Final = re.compile(rb"(?:\r?\n)+")
_HEAD_TOO_LARGE: Final = 431


@final
class RequestReader(h11.Connection):
    """h11's parser with a limit for complete heads, which ignores bytes outside of requests.

    h11 itself only compares an incomplete head with its limit. It rejects an empty line before a request,
    which a server should ignore (RFC 9112, section 2.2), and bytes after the last request of a connection,
    such as the line end that some HTTP/1.0 clients send after a body.

    Args:
        max_head_bytes: the most bytes of a head, with the empty lines before it.
    """

    def __init__(self, max_head_bytes: int) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size=max_head_bytes)
        self._max_head_bytes = max_head_bytes
        self._skipped_bytes = 0
        self._has_begun = False

    @override
    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        if self.their_state is h11.MUST_CLOSE:
            # No request follows. h11 would refuse these bytes, and so the request that is being answered.
            self._receive_buffer.maybe_extract_at_most(len(self._receive_buffer))
        if self.their_state is not h11.IDLE:
            return super().next_event()
        if not self._has_begun:
            self._skip_empty_lines()
        unread_bytes = self._skipped_bytes + len(self._receive_buffer)
        event = super().next_event() if self._has_begun else h11.NEED_DATA
        if event is h11.NEED_DATA:
            head_bytes = unread_bytes
        elif isinstance(event, h11.Request):
            head_bytes = unread_bytes - len(self._receive_buffer)
            self._skipped_bytes, self._has_begun = 0, False
        else:
            return event
        if head_bytes > self._max_head_bytes:
            raise h11.RemoteProtocolError("head too long", error_status_hint=_HEAD_TOO_LARGE)
        return event

    def _skip_empty_lines(self) -> None:
        unread = bytes(self._receive_buffer)
        if match := _EMPTY_LINES.match(unread):
            self._skipped_bytes += match.end()
            self._receive_buffer.maybe_extract_at_most(match.end())
            unread = unread[match.end() :]
        self._has_begun = unread not in (b"", b"\r")

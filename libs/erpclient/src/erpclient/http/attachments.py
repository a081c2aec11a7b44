"""Calls that store and read files."""

from collections.abc import AsyncIterator, Sequence
from typing import Final
from urllib.parse import quote

from attrs import frozen

from erpclient.http.calls import Call
from erpclient.http.messages import Sink, StreamedBody

ATTACHMENTS: Final = "Attachments2"
"""Entity set of the files that records refer to by their ``AttachmentEntry``."""


@frozen
class FilePart:
    """One file of an upload.

    Attributes:
        name: with its extension; neither quotes nor control characters.
        content: its bytes.
    """

    name: str
    content: StreamedBody


def upload_call(files: Sequence[FilePart], *, entry: int | None, boundary: str) -> Call:
    """Build the upload of files as a new attachment entry, or to append to one.

    Parts must be named ``files``, and a quoted boundary is refused with 405 (recordings of ``b1sl-python``,
    source of B1SLayer).

    Args:
        files: at least one.
        entry: number of the entry to append to; ``None`` for a new one.
        boundary: plain letters and digits that occur in no file.
    """
    heads = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{file.name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n".encode()
        for file in files
    ]
    end = f"--{boundary}--\r\n".encode()

    async def chunks() -> AsyncIterator[bytes]:
        for head, file in zip(heads, files, strict=True):
            yield head
            async for chunk in file.content.chunks():
                yield chunk
            yield b"\r\n"
        yield end

    size = sum(len(head) + file.content.size + 2 for head, file in zip(heads, files, strict=True)) + len(end)
    method, key = ("POST", "") if entry is None else ("PATCH", f"({entry})")
    headers = {"Content-Type": f"multipart/form-data;boundary={boundary}"}
    upload = StreamedBody(size, chunks)
    return Call(method, ATTACHMENTS, f"/{ATTACHMENTS}{key}", headers, write=True, upload=upload)


def download_call(entry: int, name: str, sink: Sink) -> Call:
    """Read one file of an entry of attachments (SAP manual 1.29, attachments)."""
    file_name = quote(f"'{name.replace(chr(39), chr(39) * 2)}'", safe="'")
    path = f"/{ATTACHMENTS}({entry})/$value?filename={file_name}"
    return Call("GET", ATTACHMENTS, path, {"Accept": "*/*"}, sink=sink)

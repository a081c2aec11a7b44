"""Parser of upload forms (RFC 7578)."""

from __future__ import annotations

from typing import Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, MultipartState, parse_options_header

from erpsim.business.documents.attachments import UploadedFile, part_missing
from erpsim.company.errors import NotSimulatedError, SlError

LARGEST: Final = 50 * 1024 * 1024
"""Bytes of a body; the web server itself refuses more (SAP's course on attachments, seen live)."""


def is_form(content_type: str | None) -> bool:
    """Return whether a body is a form of files."""
    return (content_type or "").lower().startswith("multipart/form-data")


def read_files(content_type: str, body: bytes) -> list[UploadedFile]:
    """Return the files of an upload.

    Raises:
        SlError: 405 for a quoted boundary (source of B1SLayer), 400 -1000 for parts of another name.
    """
    boundary = content_type.partition("boundary=")[2]
    if boundary.startswith('"'):
        raise SlError(405, -1, "Method Not Allowed")
    reading = _Reading(boundary.strip())
    try:
        reading.parser.write(body)
    except FormParserError as error:
        raise NotSimulatedError("forms that are cut off or malformed") from error
    if reading.parser.state != MultipartState.END:
        raise NotSimulatedError("forms that are cut off or malformed")
    return [_read_part(head, content) for head, content in reading.parts]


class _Reading:
    """The parts of a form: the `Content-Disposition` and the content of each."""

    def __init__(self, boundary: str) -> None:
        self.parts: list[tuple[bytes, bytes]] = []
        self._header = (bytearray(), bytearray())
        self._disposition = b""
        self._content = bytearray()
        self.parser = MultipartParser(
            boundary.encode(),
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._header[0].extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._header[1].extend(data[start:end]),
                "on_header_end": self._end_header,
                "on_part_data": lambda data, start, end: self._content.extend(data[start:end]),
                "on_part_end": self._end,
            },
        )

    def _begin(self) -> None:
        self._disposition = b""
        self._content = bytearray()

    def _end_header(self) -> None:
        name, value = self._header
        if name.lower() == b"content-disposition":
            self._disposition = bytes(value)
        self._header = (bytearray(), bytearray())

    def _end(self) -> None:
        self.parts.append((self._disposition, bytes(self._content)))


def _read_part(disposition: bytes, content: bytes) -> UploadedFile:
    _, parameters = parse_options_header(disposition)
    file_name = parameters.get(b"filename")
    if parameters.get(b"name") != b"files" or file_name is None:
        raise part_missing()
    return UploadedFile(file_name.decode("utf-8", "replace"), content)

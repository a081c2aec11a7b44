"""Uploads: a form of files (RFC 7578), taken apart."""

from __future__ import annotations

import re
from typing import Final

from erpsim.business.documents.attachments import UploadedFile, part_missing
from erpsim.company.errors import NotSimulatedError, SlError

LARGEST: Final = 50 * 1024 * 1024
"""Bytes of a body; the web server itself refuses more (SAP's course on attachments, seen live)."""

_NAME: Final = re.compile(rb'(?i)content-disposition:[^\r\n]*[;\s]name="?(?P<name>[^";\r\n]*)"?')
_FILE_NAME: Final = re.compile(rb'(?i)content-disposition:[^\r\n]*[;\s]filename="(?P<name>[^"\r\n]*)"')


def is_form(content_type: str | None) -> bool:
    """Tell whether a body is a form of files."""
    return (content_type or "").lower().startswith("multipart/form-data")


def read_files(content_type: str, body: bytes) -> list[UploadedFile]:
    """Return the files of an upload.

    Raises:
        SlError: 405 for a quoted boundary (source of B1SLayer), 400 -1000 for parts of another name.
    """
    boundary = content_type.partition("boundary=")[2]
    if boundary.startswith('"'):
        raise SlError(405, -1, "Method Not Allowed")
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary.strip().encode())
    if len(pieces) < len(("before", "end")) or not pieces[-1].startswith(b"--"):
        raise NotSimulatedError("forms that are cut off")
    return [_read_part(piece) for piece in pieces[1:-1]]


def _read_part(piece: bytes) -> UploadedFile:
    head, _, content = piece.partition(b"\r\n\r\n")
    name, file_name = _NAME.search(head), _FILE_NAME.search(head)
    if name is None or name["name"] != b"files" or file_name is None:
        raise part_missing()
    return UploadedFile(file_name["name"].decode("utf-8", "replace"), content)

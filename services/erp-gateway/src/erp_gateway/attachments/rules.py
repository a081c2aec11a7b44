"""What files may be called, which kinds are taken, and what they are when they are read. No I/O."""

import re
from collections.abc import Collection
from typing import Final

from erp_gateway.attachments.errors import AttachmentTypeRefused
from erp_gateway.web.attachments import file_name
from servicekit.errors import FieldProblem, InvalidBody

_OFFICE: Final = "application/vnd.openxmlformats-officedocument"

MEDIA_TYPES: Final = {
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "txt": "text/plain",
    "xls": "application/vnd.ms-excel",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "xml": "application/xml",
    "zip": "application/zip",
}
"""What a browser is told by a file's extension; nothing that it would run."""

ANY_TYPE: Final = "application/octet-stream"

_DISPOSITION: Final = re.compile(rb"(?im)^content-disposition:[ \t]*form-data[ \t]*;(?P<rest>[^\r\n]*)")
_FILE_NAME: Final = re.compile(rb'(?i);[ \t]*filename="(?P<name>(?:[^"\\]|\\.)*)"')
_EXTENSION: Final = re.compile(r"[A-Za-z0-9]{1,10}")


def sent_name(head: bytes) -> str:
    """Return the name that the head of a part gives its file.

    Raises:
        InvalidBody: it gives none, or one that is not UTF-8.
    """
    disposition = _DISPOSITION.search(head)
    found = None if disposition is None else _FILE_NAME.search(b";" + disposition["rest"])
    if found is None:
        raise InvalidBody(errors=[FieldProblem("files", "Cada parte debe ser un archivo con su nombre.")])
    try:
        # Browsers write a quote as %22 (the HTML standard's multipart/form-data), others as \".
        return re.sub(r"\\(.)", r"\1", found["name"].decode("utf-8")).replace("%22", '"')
    except UnicodeDecodeError as error:
        raise InvalidBody(errors=[FieldProblem("files", "El nombre no es texto UTF-8 válido.")]) from error


def clean_name(sent: str, allowed: Collection[str]) -> str:
    """Return the name under which a file is kept: without folders, and without what no file system takes.

    Args:
        sent: as the client wrote it.
        allowed: extensions that are taken, in lower case.

    Raises:
        AttachmentTypeRefused: another extension, or none.
    """
    stem, _, extension = re.split(r"[/\\]", sent)[-1].strip().rpartition(".")
    if not stem or extension.lower() not in allowed:
        kinds = ", ".join(sorted(allowed))
        raise AttachmentTypeRefused(f"{AttachmentTypeRefused.detail} Se admiten: {kinds}.")
    return f"{file_name(stem)}.{extension.lower()}"


def told_name(name: str | None, extension: str | None) -> tuple[str, str]:
    """Return title and extension of a file that the ERP has, fit for a header."""
    if extension is not None and _EXTENSION.fullmatch(extension):
        return name or "", extension
    return ".".join(filter(None, (name, extension))), "bin"

"""Rules of attachment names, accepted extensions and media types. No I/O."""

import re
import unicodedata
from collections.abc import Collection
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from typing import Any, Final

from erp_gateway.records.attachments.errors import AttachmentTypeRefused
from erp_gateway.web.download_names import file_name
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
"""Media type by extension. It includes no type that a browser would execute."""

ANY_TYPE: Final = "application/octet-stream"

# Character sets of RFC 5987 for `filename*`.
_CHARSETS: Final = frozenset({"utf-8", "iso-8859-1"})

# Encoded words of RFC 2047, which .NET writes into `filename` for names with accents.
_ENCODED_WORD: Final = re.compile(r"=\?[\w-]+\?[bqBQ]\?[^?\s]*\?=")

_DRIVE: Final = re.compile(r"^[A-Za-z]:")
# Names of Windows devices (Microsoft, "Naming Files, Paths, and Namespaces"). NFKC turns superscripts into
# digits.
_DEVICES: Final = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{port}{number}" for port in ("com", "lpt") for number in range(10)]
)

_EXTENSION: Final = re.compile(r"[A-Za-z0-9]{1,10}")


def sent_name(disposition: bytes) -> str:
    """Return the file name in a part's `Content-Disposition`.

    Values may be tokens or quoted strings (RFC 2183). `filename*` comes before `filename` (RFC 6266).
    RFC 7578 forbids it in forms, but .NET and Python clients send it.

    Raises:
        InvalidBody: the part is not named `files`, or its file name is missing or unreadable.
    """
    message = Message()
    try:
        message["Content-Disposition"] = disposition.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable_name() from error
    (kind, _), *parameters = message.get_params([("", "")], "Content-Disposition")
    found: list[tuple[str, Any]] = [(name.lower(), value) for name, value in parameters]
    names = [value for name, value in found if name == "name"]
    plain = [value for name, value in found if name == "filename" and isinstance(value, str)]
    extended = [value for name, value in found if name == "filename" and isinstance(value, tuple)]
    # Servers differ in which of two equal parameters counts, so reject them.
    if kind.lower() != "form-data" or names != ["files"] or max(len(plain), len(extended)) != 1:
        problem = "Cada parte debe llamarse «files» y ser un archivo con su nombre."
        raise InvalidBody(errors=[FieldProblem("files", problem)])
    try:
        return _decode_extended(*extended[0]) if extended else _decode_plain(plain[0])
    except (ValueError, LookupError, HeaderParseError) as error:
        raise _unreadable_name() from error


def _decode_extended(charset: str | None, _language: str | None, text: str) -> str:
    if (charset or "").lower() not in _CHARSETS:
        raise LookupError(charset)
    return text.encode("latin-1").decode(str(charset))  # the module decodes each %XX as one character


def _decode_plain(text: str) -> str:
    if _ENCODED_WORD.fullmatch(text):
        return str(make_header(decode_header(text)))
    # Browsers write a quote as %22 (the HTML standard's multipart/form-data).
    return text.replace("%22", '"')


def _unreadable_name() -> InvalidBody:
    return InvalidBody(errors=[FieldProblem("files", "El nombre del archivo no se puede leer.")])


def clean_name(sent: str, allowed: Collection[str]) -> str:
    """Return the name under which the file is stored: without folders and invalid characters.

    Args:
        sent: name in the request.
        allowed: accepted extensions in lower case.

    Raises:
        AttachmentTypeRefused: the extension is missing or not accepted.
        InvalidBody: Windows does not accept the name.
    """
    base = _DRIVE.sub("", re.split(r"[/\\]", sent)[-1].strip())
    stem, _, extension = base.rpartition(".")
    if not stem or extension.lower() not in allowed:
        kinds = ", ".join(sorted(allowed))
        raise AttachmentTypeRefused(f"{AttachmentTypeRefused.detail} Se admiten: {kinds}.")
    name = file_name(stem)
    if _is_device(name):
        raise InvalidBody(errors=[FieldProblem("files", "Windows no admite este nombre de archivo.")])
    return f"{name}.{extension.lower()}"


def _is_device(name: str) -> bool:
    """Return whether Windows treats a name as a device, whatever its extension."""
    return unicodedata.normalize("NFKC", name.partition(".")[0]).strip().casefold() in _DEVICES


def with_suffix(name: str, suffix: str) -> str:
    """Insert a suffix before the extension."""
    stem, _, extension = name.rpartition(".")
    return f"{stem}-{suffix}.{extension}"


def safe_name(name: str | None, extension: str | None) -> tuple[str, str]:
    """Return title and extension of a stored file, safe for a header."""
    if extension is not None and _EXTENSION.fullmatch(extension):
        return name or "", extension
    return ".".join(filter(None, (name, extension))), "bin"

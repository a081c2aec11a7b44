"""Settings of attachments of records."""

import re
from typing import Final

from attrs import frozen

from servicekit.config import Parser, csv, integer, setting

_EXTENSION: Final = re.compile(r"[a-z0-9]{1,10}")


def file_extensions() -> Parser[tuple[str, ...]]:
    """Extensions of files separated by commas, in any letter case."""
    words = csv()

    def read(raw: str) -> tuple[str, ...]:
        found = tuple(word.lower() for word in words.read(raw))
        if not found or not all(_EXTENSION.fullmatch(word) for word in found):
            raise ValueError(raw)
        return found

    return Parser(
        read,
        "extensions of letters and digits separated by commas, like pdf,jpg",
        "extensiones de letras y dígitos separadas por comas, como pdf,jpg",
        words.show,
    )


@frozen(kw_only=True)
class Attachments:
    """Attachments of records."""

    max_bytes: int = setting(
        "ATTACHMENT_MAX_BYTES",
        help="Largest file to add to a record, in bytes. Several files in one request count together.",
        parse=integer(1024, 50 * 1024 * 1024),
        default=20 * 1024 * 1024,
    )
    extensions: tuple[str, ...] = setting(
        "ATTACHMENT_EXTENSIONS",
        help="Extensions of files that may be added.",
        parse=file_extensions(),
        default=("pdf", "doc", "docx", "jpg", "jpeg", "png", "txt", "xls", "xlsx", "ppt", "pptx"),
    )

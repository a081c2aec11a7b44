"""Naming a file that is downloaded."""

import re
import unicodedata
from typing import Final
from urllib.parse import quote

_MAX_CHARS: Final = 100
_NAMELESS: Final = "documento"
_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_BLANKS: Final = re.compile(r"\s+")


def content_disposition(title: str, extension: str, *, inline: bool = False) -> str:
    """Return the header that names an answer as a file (RFC 6266).

    Characters that no file system takes, control characters among them, become blanks. Clients that know
    RFC 8187 take the name with its accents from `filename*`, all others a plain ASCII one from `filename`.

    Args:
        title: name of the file for people, any text.
        extension: plain letters and digits.
        inline: whether a browser is to show it; otherwise it is offered to be saved.
    """
    name = file_name(title)
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = _UNSAFE.sub(" ", folded).strip(" .") or _NAMELESS  # again: U+FF02 folds to a quotation mark
    encoded = quote(f"{name}.{extension}", safe="!#$&+-.^_`|~", encoding="utf-8", errors="replace")
    kind = "inline" if inline else "attachment"
    return f"{kind}; filename=\"{plain}.{extension}\"; filename*=UTF-8''{encoded}"


def file_name(title: str) -> str:
    """Return a title as any file system takes it, at most 100 characters of it; never empty."""
    writable = "".join(character for character in unicodedata.normalize("NFC", title) if _is_shown(character))
    name = _BLANKS.sub(" ", _UNSAFE.sub(" ", writable))
    return name[:_MAX_CHARS].strip(" .") or _NAMELESS


def _is_shown(character: str) -> bool:
    """Tell whether a character shows: no direction marks, no halves of surrogate pairs, no private ones."""
    return unicodedata.category(character) not in {"Cf", "Cs", "Co", "Cn"}

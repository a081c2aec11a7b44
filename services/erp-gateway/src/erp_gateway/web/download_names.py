"""Names of downloaded files."""

import re
import unicodedata
from typing import Final
from urllib.parse import quote

_MAX_CHARS: Final = 100
_NAMELESS: Final = "documento"
_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_BLANKS: Final = re.compile(r"\s+")


def content_disposition(title: str, extension: str, *, inline: bool = False) -> str:
    """Return the `Content-Disposition` header of a file (RFC 6266).

    Characters that a file system refuses become blanks. Clients that know RFC 8187 use the name with accents
    in `filename*`, all others the ASCII name in `filename`.

    Args:
        title: title of the file, any text.
        extension: plain letters and digits.
        inline: whether a browser shows the file instead of saving it.
    """
    name = file_name(title)
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    plain = _UNSAFE.sub(" ", folded).strip(" .") or _NAMELESS  # once more: U+FF02 folds to a quotation mark
    encoded = quote(f"{name}.{extension}", safe="!#$&+-.^_`|~", encoding="utf-8", errors="replace")
    kind = "inline" if inline else "attachment"
    return f"{kind}; filename=\"{plain}.{extension}\"; filename*=UTF-8''{encoded}"


def file_name(title: str) -> str:
    """Return the title as a file name of at most 100 characters; never empty."""
    writable = "".join(character for character in unicodedata.normalize("NFC", title) if _is_shown(character))
    name = _BLANKS.sub(" ", _UNSAFE.sub(" ", writable))
    return name[:_MAX_CHARS].strip(" .") or _NAMELESS


def _is_shown(character: str) -> bool:
    # Direction marks, halves of surrogate pairs and private characters are not visible.
    return unicodedata.category(character) not in {"Cf", "Cs", "Co", "Cn"}

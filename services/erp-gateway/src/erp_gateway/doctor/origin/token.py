"""An administrator's token, out of a file that nobody else can read."""

import os
import stat
from pathlib import Path
from typing import Final

from servicekit.config.secret import Secret

MOST_CHARS: Final = 512


class OpenToOthersError(Exception):
    """Somebody else could have read it."""


def read_token(file: Path) -> Secret:
    """Read the token; what is told of a failure never holds any of it.

    Raises:
        OpenToOthersError: its mode lets others read or write it.
        OSError: it can't be read.
        ValueError: it holds no token.
    """
    with file.open("rb") as opened:
        if stat.S_IMODE(os.fstat(opened.fileno()).st_mode) & 0o077:
            raise OpenToOthersError
        text = opened.read(MOST_CHARS + 1).decode("latin-1").strip()
    if not text or len(text) > MOST_CHARS or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError
    return Secret(text)

"""Language of commands for operators: Spanish, or English if `LANG` names it."""

import re
from collections.abc import Mapping
from typing import Final

_ENGLISH: Final = re.compile(r"en(?:[-_.@].*)?", re.IGNORECASE)


def is_english(environ: Mapping[str, str]) -> bool:
    """Return True if `LANG` names English (`en`, `en_US.UTF-8`); `C` and `C.UTF-8` name no language."""
    return _ENGLISH.fullmatch(environ.get("LANG", "")) is not None

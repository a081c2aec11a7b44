"""Values written as OData literals."""

import re
from datetime import date
from typing import Final

from erpclient.odata.errors import Expected, InvalidLiteral, ODataErrorCode, shown

UNTYPABLE: Final = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffd-\uffff"
"""Character ranges that no text value may hold, for use inside a character class: C0 and C1 controls, line
and paragraph separator, lone surrogates, the replacement character and the two non-characters after it.
No field of the ERP holds them; they end lines in logs and strings in C, and make two keys one."""

_DAY_OF_MOMENT: Final = slice(len("datetime'"), len("datetime'2024-01-31"))
_UNTYPABLE_CHARACTER: Final = re.compile(f"[{UNTYPABLE}]")


def find_untypable(text: str) -> int | None:
    """Find the first character that no text value may hold; ``None`` where all are fit."""
    match = _UNTYPABLE_CHARACTER.search(text)
    return None if match is None else match.start()


def quote_string(text: str) -> str:
    """Write a text as a string literal: in quotes, each quote inside doubled, nothing else changed.

    Raises:
        InvalidLiteral: the text holds a control character, a line separator, a lone surrogate or a
            replacement character; no field of the ERP does.
    """
    position = find_untypable(text)
    if position is not None:
        raise InvalidLiteral(
            ODataErrorCode.BAD_VALUE,
            "the text holds a character that no value may hold",
            position=position,
            expected=(Expected.PRINTABLE_CHARACTER,),
            found=shown(text[position]),
        )
    return "'" + text.replace("'", "''") + "'"


def is_calendar_day(digits: str) -> bool:
    """Tell whether eight ASCII digits, ``YYYYMMDD``, name a day that exists (years 1 to 9999)."""
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return True


def is_day_of_moment(literal: str) -> bool:
    """Tell whether a well-formed ``datetime'…'`` literal names a day that exists."""
    return is_calendar_day(literal[_DAY_OF_MOMENT].replace("-", "")[:8])


def content_length(literal: str) -> int:
    """Count the characters of a well-formed string literal, a doubled quote once."""
    content = literal[1:-1]
    return len(content) - content.count("''")

"""Values written as OData literals."""

import re
from datetime import date
from typing import Final

from erpclient.odata.errors import Expected, InvalidLiteral, ODataErrorCode, shown

UNTYPABLE: Final = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffd-\uffff"
"""Characters forbidden in text values, as ranges for a character class: C0 and C1 controls, line and
paragraph separator, lone surrogates, the replacement character and the two non-characters after it.

No field of the ERP contains them. They break lines in logs, end C strings, and make two keys equal.
"""

_DAY_OF_MOMENT: Final = slice(len("datetime'"), len("datetime'2024-01-31"))
_UNTYPABLE_CHARACTER: Final = re.compile(f"[{UNTYPABLE}]")


def find_untypable(text: str) -> int | None:
    """Return the first forbidden character of a text value, ``None`` without one."""
    match = _UNTYPABLE_CHARACTER.search(text)
    return None if match is None else match.start()


def quote_string(text: str) -> str:
    """Write a text as a string literal: quoted, with inner quotes doubled and nothing else changed.

    Raises:
        InvalidLiteral: the text contains a control character, a line separator, a lone surrogate or a
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
    """Return whether eight ASCII digits, ``YYYYMMDD``, are an existing date (years 1 to 9999)."""
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return False
    return True


def is_day_of_moment(literal: str) -> bool:
    """Return whether a well-formed ``datetime'…'`` literal contains an existing date."""
    return is_calendar_day(literal[_DAY_OF_MOMENT].replace("-", "")[:8])


def content_length(literal: str) -> int:
    """Count the characters of a well-formed string literal, a doubled quote once."""
    content = literal[1:-1]
    return len(content) - content.count("''")

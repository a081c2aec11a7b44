"""Text without the characters that a person cannot see."""

import re
from typing import Final

# Category Cf, `Default_Ignorable_Code_Point` of Unicode (fillers, variation selectors, tags), the control
# characters and the empty Braille pattern. Python's `unicodedata` does not have that property.
_INVISIBLE: Final = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls that are no blanks
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    "]"
)


def remove_invisible(text: str) -> str:
    """Remove every character without width and ink, except blanks."""
    return _INVISIBLE.sub("", text)

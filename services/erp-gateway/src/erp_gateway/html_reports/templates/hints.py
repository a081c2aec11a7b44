"""What Mako says of a template that does not compile, in words that tell what to write."""

import re
from typing import Final

_PYTHON: Final = re.compile(r"\((\w+)\) (.*) \(<unknown>, line \d+\)")
_FORMAT: Final = re.compile(r"""(:[ +<>=^]?\d*[,_]?(\.\d+)?[a-z%]?|![ars])['"]\)$""")
_LINE: Final = re.compile(r"Fragment '(.*)' is not a partial control statement")


def in_words(reason: str) -> str:
    """Return a compiler's complaint without what only its author understands, and with what is missing."""
    if reason.startswith(r"Expected: \|,}"):
        return "a ${ has no } behind it"
    line = _LINE.match(reason)
    if line is not None and not line[1].endswith(":"):
        return f"% {line[1]} is no line of a template: is ':' missing at its end?"
    said = _PYTHON.sub(r"\2", reason)
    if _FORMAT.search(said):
        return (
            f"{said}: an expression has no format behind it, write formato.dinero(…) or formato.cantidad(…)"
        )
    return said

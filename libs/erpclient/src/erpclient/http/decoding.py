"""Exceptions of decoding foreign bodies."""

from typing import Final

import msgspec

DECODE_ERRORS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of msgspec for a body of another program: a page, another encoding, endless nesting."""

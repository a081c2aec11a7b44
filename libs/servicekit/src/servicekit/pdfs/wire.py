"""Wire format between the service and `program`.

The service sends the number of parts, the length of each, and the parts. The first byte of a reply is its
type.
"""

import struct
from typing import Final

COUNT: Final = struct.Struct(">I")
LENGTH: Final = struct.Struct(">Q")
JOINED: Final = b"\x00"
BROKEN: Final = b"\x01"
BLANK: Final = b"\x01"
PAINTED: Final = b"\x00"

MEMORY_BYTES: Final = 704 * 1024 * 1024
"""Memory limit of the process: joining 240 MiB takes 370 MiB (measured)."""

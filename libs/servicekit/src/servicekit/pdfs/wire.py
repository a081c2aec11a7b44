"""Wire format between the service and `program`.

The service sends how many parts, the length of each, the parts; the first byte of an answer says what it is.
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
"""Most address space of the process: joining 240 MiB takes 370 MiB (measured)."""

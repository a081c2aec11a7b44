"""The advisory locks of a store's database: who may write now, and which process serves.

They belong to a database, so that each gateway needs one of its own.
"""

from typing import Final

LOCK_SPACE: Final = 0x45_52_50_47
"""The first number of this program's locks ("ERPG"), so that another program's are not taken for ours."""

WRITING: Final = 1
"""Held by a transaction that writes, until its end."""

SERVING: Final = 2
"""Held by the connection of the process that serves, as long as that lives."""

"""The limits that a program of ours sets for itself when `child_process` has started it."""

import ctypes
import resource
import signal
import sys
from typing import Final

# From Linux' <sys/prctl.h>.
_PR_SET_PDEATHSIG: Final = 1


def keep_within(
    *,
    cpu_s: int | None = None,
    memory_bytes: int | None = None,
    file_bytes: int | None = None,
    open_files: int | None = None,
) -> None:
    """Limit this process, disable core files, and end it with its parent.

    On systems other than Linux it outlives a killed parent until its input or its processor time ends.

    Args:
        cpu_s: most processor time.
        memory_bytes: most address space.
        file_bytes: largest file that it may write.
        open_files: most descriptors.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    for kind, most in (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_CORE, 0),
    ):
        if most is not None:
            _, hard = resource.getrlimit(kind)
            bounded = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (bounded, bounded))

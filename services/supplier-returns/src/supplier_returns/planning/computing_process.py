"""Child process of `computing`: handles tasks from standard input until it ends.

The arguments are the module search path of the service. A task has the lengths of its two parts, the pickled
function with its further arguments, and the body. A reply has a length and the pickled result or exception.
"""

import os
import pickle
import struct
import sys
import traceback
from typing import Any, BinaryIO, Final

from servicekit.child_limits import keep_within

LENGTHS: Final = struct.Struct(">QQ")
LENGTH: Final = struct.Struct(">Q")


def main() -> None:
    """Serve the parent process. Clear the environment first, because this process reads user input."""
    keep_within()
    os.environ.clear()
    sys.path[:] = sys.argv[1:]
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(tasks: BinaryIO, replies: BinaryIO) -> None:
    """Run each task and write its reply."""
    while lengths := tasks.read(LENGTHS.size):
        work_bytes, body_bytes = LENGTHS.unpack(lengths)
        work, args = pickle.loads(tasks.read(work_bytes))  # noqa: S301 - from the service itself
        body = tasks.read(body_bytes)
        try:
            reply: tuple[Any, Exception | None] = work(body, *args), None
        except Exception as error:  # noqa: BLE001 - the parent raises every exception again
            error.add_note(traceback.format_exc())
            reply = None, error
        del body  # frees the memory while the process waits
        packed = pickle.dumps(reply)
        del reply
        replies.write(LENGTH.pack(len(packed)))
        replies.write(packed)
        replies.flush()
        del packed


if __name__ == "__main__":
    main()

"""The process that works for `computing`: one thing after another from its input, until that ends.

Its arguments are where modules are found, as the service finds them. A task is the lengths of its two parts,
the pickled function with its further arguments, and the body; an answer is its length and what the function
returned or raised, pickled.
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
    """Serve the service, and end with it. The environment is forgotten: what people paste is read here."""
    keep_within()
    os.environ.clear()
    sys.path[:] = sys.argv[1:]
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(tasks: BinaryIO, answers: BinaryIO) -> None:
    """Do each task and write its answer."""
    while lengths := tasks.read(LENGTHS.size):
        work_bytes, body_bytes = LENGTHS.unpack(lengths)
        work, args = pickle.loads(tasks.read(work_bytes))  # noqa: S301 - from the service itself
        body = tasks.read(body_bytes)
        try:
            answer: tuple[Any, Exception | None] = work(body, *args), None
        except Exception as error:  # noqa: BLE001 - whoever asked is told, whatever it is
            error.add_note(traceback.format_exc())
            answer = None, error
        del body  # while nothing is asked for
        packed = pickle.dumps(answer)
        del answer
        answers.write(LENGTH.pack(len(packed)))
        answers.write(packed)
        answers.flush()
        del packed


if __name__ == "__main__":
    main()

"""What a command prints, to a reader who may leave early."""

import os
from collections.abc import Iterable
from typing import TextIO


def discard(out: TextIO) -> None:
    """Send the rest nowhere: a reader such as `head` has seen enough, and the interpreter would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def print_lines(lines: Iterable[str], out: TextIO) -> bool:
    """Print lines and tell whether the reader took them all."""
    try:
        out.writelines(f"{line}\n" for line in lines)
        out.flush()
    except BrokenPipeError:
        discard(out)
        return False
    return True

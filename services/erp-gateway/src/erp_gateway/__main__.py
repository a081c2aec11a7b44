"""Entry point of the program `erp-gateway`; `command_line` has the commands."""

import sys
from collections.abc import Sequence

from servicekit.collector import rest_collector


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code: 0 done, 1 failed, 2 wrong arguments or configuration."""
    words = sys.argv[1:] if arguments is None else arguments
    if "serve" in words[:1]:
        rest_collector()
    from erp_gateway.command_line import run_words  # noqa: PLC0415 - what is loaded is not searched

    return run_words(words)


if __name__ == "__main__":
    sys.exit(main())

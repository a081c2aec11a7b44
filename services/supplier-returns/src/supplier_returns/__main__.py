"""Program `supplier-returns`. See `command_line` for its commands."""

import sys
from collections.abc import Sequence

from servicekit.collector import rest_collector


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Return 0 for success, 1 for a failure, 2 for wrong arguments or configuration."""
    words = sys.argv[1:] if arguments is None else arguments
    if "serve" in words[:1]:
        rest_collector()
    from supplier_returns.command_line import run_words  # noqa: PLC0415 - what is loaded is not searched

    return run_words(words)


if __name__ == "__main__":
    sys.exit(main())

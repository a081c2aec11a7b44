"""The arguments of `doctor`, apart from the doctor, which needs much that other commands do not."""

import argparse
import json
from pathlib import Path
from typing import Final

from erpdoctor.command import add_origin_arguments, add_run_arguments

USUAL_WAIT_S: Final = 65
"""Longer than the minute after which most proxies give up unless they are told otherwise."""

LONGEST_WAIT_S: Final = 300
"""As long as the service's probe keeps silent at most."""


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_run_arguments(parser)
    parser.add_argument(
        "--backups", type=Path, metavar="FOLDER", help="where the copies of the store are kept"
    )
    parser.add_argument("--print", metavar="CODE", dest="report", help="also print this registered report")
    parser.add_argument(
        "--values", type=_values, default={}, metavar="JSON", help="its values, one JSON object"
    )
    parser.add_argument(
        "--measure-parallel",
        action="store_true",
        help="measure what calls at the same time cost also beside a running service",
    )
    add_origin_arguments(parser)
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="holds the token of an administrator's session, mode 0600: also look at what that shows",
    )
    parser.add_argument(
        "--wait",
        type=_wait,
        default=USUAL_WAIT_S,
        metavar="SECONDS",
        help="how long the service is silent, to see whether the proxy waits (default: %(default)s; 0: not)",
    )


def _wait(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > LONGEST_WAIT_S:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to {LONGEST_WAIT_S}")
    return int(text)


def _values(text: str) -> dict[str, object]:
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise argparse.ArgumentTypeError('must be one JSON object, like {"Item": "A1"}')
    return values

"""The arguments of `doctor`, apart from the doctor, which needs much that other commands do not."""

import argparse
import json
from pathlib import Path

from servicekit.doctor.command import add_run_arguments


def add_doctor_arguments(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "doctor", help="look at what stands between this installation and its ERP; 0, 1 (warnings) or 2"
    )
    add_run_arguments(parser)
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help="instead of looking for faults, write a new file that says what this ERP is like, without any "
        "value of the company, for `erpsim serve --like`",
    )
    parser.add_argument(
        "--backups", type=Path, metavar="FOLDER", help="where the copies of the store are kept"
    )
    parser.add_argument("--print", metavar="CODE", dest="report", help="also print this registered report")
    parser.add_argument(
        "--values", type=_values, default={}, metavar="JSON", help="its values, one JSON object"
    )


def _values(text: str) -> dict[str, object]:
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise argparse.ArgumentTypeError('must be one JSON object, like {"Item": "A1"}')
    return values

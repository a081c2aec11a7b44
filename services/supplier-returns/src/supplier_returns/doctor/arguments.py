"""The arguments of `doctor`, apart from the doctor, which needs much that other commands do not."""

import argparse
from pathlib import Path

from erpdoctor.command import add_origin_arguments, add_run_arguments


def add_doctor_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_run_arguments(parser)
    parser.add_argument(
        "--user", metavar="NAME", help="the ERP user to look with; without one the ERP is not looked into"
    )
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="holds that user's password; asked on the terminal if not given",
    )
    add_origin_arguments(parser)

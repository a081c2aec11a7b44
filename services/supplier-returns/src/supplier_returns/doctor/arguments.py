"""The arguments of `doctor`, apart from the doctor, which needs much that other commands do not."""

import argparse
from pathlib import Path

from servicekit.doctor.command import add_origin_arguments, add_run_arguments


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
        "--user", metavar="NAME", help="the ERP user to look with; without one the ERP is not looked into"
    )
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="holds that user's password; asked on the terminal if not given",
    )
    add_origin_arguments(parser)

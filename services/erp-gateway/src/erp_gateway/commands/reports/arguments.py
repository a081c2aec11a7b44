"""The arguments of `report preview`; in a module of its own, since every command line is read with it."""

import argparse
from pathlib import Path


def add_report_command(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare `report preview`."""
    parser = subparsers.add_parser("report", help="draw an HTML report while it is being written")
    preview = parser.add_subparsers(dest="form", required=True, metavar="preview").add_parser(
        "preview", help="draw a report as HTML and PDF"
    )
    preview.add_argument("code", metavar="CODE", help="the report's code")
    preview.add_argument(
        "--values",
        metavar="NAME=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="values of its parameters",
    )
    preview.add_argument(
        "--fixture", metavar="FILE", type=Path, help="values and rows (default: its own fixture)"
    )
    preview.add_argument("--live", action="store_true", help="ask the configured database, not the fixture")
    preview.add_argument(
        "--out", metavar="FOLDER", type=Path, default=Path("report-preview"), help="where to"
    )
    preview.add_argument(
        "--watch", action="store_true", help="draw it anew whenever a file changes, until Ctrl-C"
    )

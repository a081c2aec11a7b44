"""Options of `erpsim serve`, its switches and its command line."""

from __future__ import annotations

import argparse
import enum
from collections.abc import Callable, Mapping
from datetime import date, tzinfo
from typing import Any, Final, get_type_hints

import attrs

from erpsim.company.habits import OtherHabit
from erpsim.company.notification import Notice
from erpsim.company.switches import Switches
from erpsim.process.setting_readers import (
    choice,
    one_of,
    optional,
    read_boolean,
    read_date,
    read_habits,
    read_integer,
    read_names,
    read_notices,
    read_number,
    read_path,
    read_port,
    read_text,
    read_timezone,
)
from erpsim.seeds.scale import SCALES


@attrs.frozen(kw_only=True)
class Option:
    """One setting beside the switches.

    Args:
        name: in the file; with `--` and hyphens on the command line, with `ERPSIM_` in the environment.
        help: a line for people.
        read: see `erpsim.process.setting_readers`.
        default: value if unset.
        metavar: placeholder of the value in the help.
    """

    name: str
    help: str
    read: Callable[[object], Any]
    default: Any
    metavar: str | None = None

    @property
    def flag(self) -> str:
        """Its spelling on the command line."""
        return "--" + self.name.replace("_", "-")


def switch_reader(name: str) -> Callable[[object], Any]:
    """Return the reader of a switch's value."""
    hint = SWITCH_TYPES[name]
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return choice(hint)
    return _READERS[hint]


_READERS: Final[Mapping[Any, Callable[[object], Any]]] = {
    bool: read_boolean,
    int: read_integer,
    float: read_number,
    str: read_text,
    int | None: optional(read_integer),
    float | None: optional(read_number),
    date | None: optional(read_date),
    frozenset[str]: read_names,
    frozenset[Notice]: read_notices,
    frozenset[OtherHabit]: read_habits,
    tzinfo: read_timezone,
}
# The penalty has its own default: 7 s for a process, 0 in tests.
SWITCH_TYPES: Final[Mapping[str, Any]] = {
    name: hint
    for name, hint in get_type_hints(Switches).items()
    if name in attrs.fields_dict(Switches) and name != "parallel_penalty_s"
}

SEED: Final = one_of(*SCALES)

OPTIONS: Final = (
    Option(name="host", help="address to listen on", read=read_text, default="127.0.0.1"),
    Option(name="port", help="port of the Service Layer; 0 is any free one", read=read_port, default=50_000),
    Option(
        name="control_port",
        help="port for faults, recorded calls and reset (JSON); none unless given",
        read=read_port,
        default=None,
        metavar="PORT",
    ),
    Option(
        name="report_gateway_port",
        help="port of a report gateway (PDFs) beside it, on the same company; none unless given",
        read=read_port,
        default=None,
        metavar="PORT",
    ),
    Option(
        name="tax_documents_port",
        help="port of a tax-document service (SOAP) beside it, on the same company; none unless given",
        read=read_port,
        default=None,
        metavar="PORT",
    ),
    Option(
        name="hana_port",
        help="port of a HANA (SAP's driver hdbcli) beside it, on the same company; none unless given",
        read=read_port,
        default=None,
        metavar="PORT",
    ),
    Option(
        name="public_host",
        help="name by which others reach it, for its addresses and its certificate; --host unless given",
        read=read_text,
        default=None,
        metavar="NAME",
    ),
    Option(name="tls", help="HTTPS with a self-signed certificate", read=read_boolean, default=False),
    Option(
        name="certificate_file",
        help="where to write the certificate of --tls, for clients to trust",
        read=read_path,
        default=None,
        metavar="FILE",
    ),
    Option(
        name="certificate_folder",
        help="folder that keeps certificate.pem and key.pem of --tls between starts, or brings others",
        read=read_path,
        default=None,
        metavar="FOLDER",
    ),
    Option(
        name="metadata",
        help="a $metadata export (v1 or v2) whose user fields and objects exist too",
        read=read_path,
        default=None,
        metavar="FILE",
    ),
    Option(
        name="store",
        help="file that keeps changes between starts; without it they live in memory",
        read=read_path,
        default=None,
        metavar="FILE",
    ),
    Option(
        name="seed",
        help="starting data: full, small, returns or empty",
        read=one_of(*SCALES),
        default="full",
    ),
    Option(
        name="penalty",
        help="seconds a call pays that finds its session at work (default 7)",
        read=read_number,
        default=7.0,
        metavar="SECONDS",
    ),
    Option(
        name="keep_alive",
        help="seconds an idle connection is kept (default 5, as Apache's)",
        read=read_number,
        default=5.0,
        metavar="SECONDS",
    ),
    Option(
        name="shutdown",
        help="seconds that calls under way get when the process is told to stop (default 2)",
        read=read_number,
        default=2.0,
        metavar="SECONDS",
    ),
)


def command_line() -> argparse.ArgumentParser:
    """Return the argument parser of `erpsim serve`."""
    parser = argparse.ArgumentParser(
        prog="erpsim serve",
        description="Serve a simulated SAP Business One: Service Layer, report gateway, tax documents, HANA.",
        epilog=(
            "Every option is also an environment variable (ERPSIM_PORT, ERPSIM_CONTROL_PORT, ...), and so is "
            "every switch (ERPSIM_PAGE_SIZE, ...). The command line wins over the environment, which wins "
            "over the file. Switches: " + ", ".join(SWITCH_TYPES) + "."
        ),
    )
    parser.add_argument("--config", metavar="FILE", help="TOML file with options, [switches] and [[faults]]")
    for option in OPTIONS:
        if option.read is read_boolean:
            parser.add_argument(option.flag, action="store_const", const="true", help=option.help)
        else:
            parser.add_argument(option.flag, metavar=option.metavar, help=option.help)
    parser.add_argument(
        "--switch", action="append", default=[], metavar="NAME=VALUE", help="set a switch; may be repeated"
    )
    return parser

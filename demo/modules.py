"""What the gateway's modules work with in the demo, as far as this machine has it: settings, and in words."""

import importlib.util
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from stack.modules import has_sandbox

from erp_gateway.reports.html.printing.browser import find_browser
from erpsim.facts import load_packaged_facts
from erpsim.sql import load_into_sqlite
from erpsim.world import World

EXTENSION = "comercial_demo"
"""The sample extension; its folder goes on the gateway's import path."""

EXTENSION_SETTINGS = {
    "EXTENSIONS": EXTENSION,
    "PYTHONPATH": str(Path(__file__).resolve().with_name("extension")),
}


def database_settings(folder: Path) -> dict[str, str]:
    """Return the settings of the ERP's database: none of our own where SAP's driver is installed.

    Without it, the gateway reads a SQLite copy of the company, which is made in `folder`.
    """
    if _has_hana_driver():
        return {}
    path = folder / "company.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        load_into_sqlite(connection, World(load_packaged_facts(), seed="full"))
    return {"ERPDB_ENGINE": "sqlite", "ERPDB_DATABASE": str(path)}


def is_database_live() -> bool:
    """Return whether what the Service Layer changes is in the database at once."""
    return _has_hana_driver()


def describe_database() -> str:
    """Return with what the gateway reads the ERP's database."""
    if _has_hana_driver():
        return "simulated HANA on the same company, read with SAP's own driver hdbcli"
    return "a SQLite copy of the company (hdbcli is not installed)"


def describe_printer() -> str:
    """Return what prints HTML reports."""
    browser = find_browser(None, os.environ)
    if browser is None:
        return "WeasyPrint (no headless browser was found)"
    without = "" if has_sandbox(browser) else ", without its sandbox: this system refuses it"
    return f"headless browser {browser}{without}"


def _has_hana_driver() -> bool:
    return importlib.util.find_spec("hdbcli") is not None

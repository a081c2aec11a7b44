"""`doctor --record FILE`: what this ERP is like, without a value of its company, for the simulator."""

import argparse
import asyncio
from collections.abc import Callable
from getpass import getpass
from typing import Final, TextIO

from erpdoctor.conformance.arguments import credentials_of
from erpdoctor.recording.command import record_into
from erpdoctor.recording.recorder import record_erp as write_down
from supplier_returns.components import erp_settings
from supplier_returns.conformance.questions import QUESTIONS
from supplier_returns.settings import Settings

ENTITY_SETS: Final = (
    "BusinessPartners",
    "Drafts",
    "Items",
    "PurchaseDeliveryNotes",
    "PurchaseReturns",
    "SQLQueries",
    "Warehouses",
)
"""What planning and executing returns reads; the user objects are told with what the company defined."""


def record_erp(
    arguments: argparse.Namespace,
    settings: Settings,
    *,
    err: TextIO,
    ask: Callable[[str], str] = input,
    ask_secret: Callable[[str], str] = getpass,
) -> int:
    """Look, in one session and by reads alone, and write a new file; return the exit code, 0 or 2.

    Args:
        arguments: with `record`, `user` and `password_file`.
        settings: of the installation.
        err: where the progress is told.
        ask: shows a prompt and returns the line that was typed.
        ask_secret: the same, without showing what is typed.
    """

    def make() -> None:
        company = settings.service_layer.company_db
        asyncio.run(
            write_down(
                arguments.record,
                erp_settings(settings.service_layer),
                credentials_of(arguments, company, ask=ask, ask_secret=ask_secret),
                questions=QUESTIONS,
                entity_sets=ENTITY_SETS,
                told=lambda name: err.write(f"{name}\n"),
            )
        )

    return record_into(arguments.record, make, err=err)

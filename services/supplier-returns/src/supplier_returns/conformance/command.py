"""`conformance` and `doctor --record`: what the returns have asked of their ERP, and which ERP that is."""

import argparse
from collections.abc import Callable
from getpass import getpass
from typing import Final

from erpdoctor.conformance.arguments import credentials_of
from erpdoctor.conformance.command import Suite
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


def suite_of(
    arguments: argparse.Namespace,
    settings: Settings,
    *,
    ask: Callable[[str], str] = input,
    ask_secret: Callable[[str], str] = getpass,
) -> Suite:
    """Return it for an installation and whoever asks.

    Args:
        arguments: with `user` and `password_file`.
        settings: of the installation.
        ask: shows a prompt and returns the line that was typed.
        ask_secret: the same, without showing what is typed.
    """
    company = settings.service_layer.company_db
    return Suite(
        service="supplier-returns",
        questions=QUESTIONS,
        erp=erp_settings(settings.service_layer),
        credentials=lambda: credentials_of(arguments, company, ask=ask, ask_secret=ask_secret),
        company=company,
        environment=settings.installation.environment,
        entity_sets=lambda: ENTITY_SETS,
    )

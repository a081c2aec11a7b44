"""Conformance suite of supplier-returns for the ERP of an installation."""

import argparse
from collections.abc import Callable
from getpass import getpass

from erpdoctor.conformance.arguments import credentials_of
from erpdoctor.conformance.command import Suite
from supplier_returns.components import erp_settings
from supplier_returns.conformance.questions import QUESTIONS
from supplier_returns.settings.root import Settings


def suite_of(
    arguments: argparse.Namespace,
    settings: Settings,
    *,
    ask: Callable[[str], str] = input,
    ask_secret: Callable[[str], str] = getpass,
) -> Suite:
    """Return the suite of an installation.

    Args:
        arguments: arguments with `user` and `password_file`.
        settings: settings of the installation.
        ask: shows a prompt and returns the typed line.
        ask_secret: shows a prompt and reads a line without showing it.
    """
    company = settings.service_layer.company_db
    return Suite(
        service="supplier-returns",
        questions=QUESTIONS,
        erp=erp_settings(settings.service_layer),
        credentials=lambda: credentials_of(arguments, company, ask=ask, ask_secret=ask_secret),
        company=company,
        environment=settings.installation.environment,
    )

"""`conformance`: ask the ERP whether it does what the returns count on. Reads, unless told otherwise."""

import argparse
from collections.abc import Callable
from getpass import getpass
from typing import TextIO

from erpdoctor.conformance.arguments import credentials_of
from erpdoctor.conformance.command import ask_and_print
from supplier_returns.components import erp_settings
from supplier_returns.conformance.questions import QUESTIONS
from supplier_returns.settings import Settings


def ask_erp(
    arguments: argparse.Namespace,
    settings: Settings,
    *,
    out: TextIO,
    err: TextIO,
    ask: Callable[[str], str] = input,
    ask_secret: Callable[[str], str] = getpass,
) -> int:
    """Ask and print; return the exit code."""
    company = settings.service_layer.company_db
    return ask_and_print(
        arguments,
        QUESTIONS,
        erp_settings(settings.service_layer),
        lambda: credentials_of(arguments, company, ask=ask, ask_secret=ask_secret),
        service="supplier-returns",
        company=company,
        environment=settings.installation.environment,
        out=out,
        err=err,
        ask=ask,
    )

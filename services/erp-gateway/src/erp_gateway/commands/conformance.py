"""`conformance`: ask the ERP whether it does what the gateway counts on. Reads, unless told otherwise."""

import argparse
from collections.abc import Callable
from typing import TextIO

from erp_gateway.components import erp_credentials, erp_settings
from erp_gateway.doctor.questions import QUESTIONS
from erp_gateway.settings.root import Settings
from erpdoctor.conformance.command import ask_and_print


def ask_erp(
    arguments: argparse.Namespace,
    settings: Settings,
    *,
    out: TextIO,
    err: TextIO,
    ask: Callable[[str], str] = input,
) -> int:
    """Ask and print; return the exit code."""
    return ask_and_print(
        arguments,
        QUESTIONS,
        erp_settings(settings),
        lambda: erp_credentials(settings.erp),
        service="erp-gateway",
        company=settings.erp.company_db,
        environment=settings.installation.environment,
        out=out,
        err=err,
        ask=ask,
    )

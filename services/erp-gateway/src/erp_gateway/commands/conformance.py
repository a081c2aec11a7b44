"""`conformance`: ask the ERP whether it does what the gateway counts on. Reads, unless told otherwise."""

import argparse
import asyncio
from collections.abc import Callable
from importlib.metadata import version
from typing import Final, TextIO

from erp_gateway.components import erp_credentials, erp_settings
from erp_gateway.conformance.questions import QUESTIONS
from erp_gateway.settings.whole import Settings
from erpclient import ErpError, ErpLoginRejected
from erpdoctor.conformance.running import run_questions
from erpdoctor.questions import Asked, answer_of, login_refused, print_asked, why_not_ask

_NOT_ASKED: Final = 2


def ask_erp(
    arguments: argparse.Namespace,
    settings: Settings,
    *,
    out: TextIO,
    err: TextIO,
    ask: Callable[[str], str] = input,
) -> int:
    """Ask and print; return the exit code."""
    company, environment = settings.erp.company_db, settings.installation.environment
    names = [question.name for question in QUESTIONS]
    refusal = why_not_ask(arguments, names, company=company, environment=environment, ask=ask)
    if refusal is not None:
        err.write(f"{refusal}\n")
        return _NOT_ASKED
    wanted = [each for each in QUESTIONS if not arguments.only or each.name in arguments.only]
    asking = run_questions(
        erp_settings(settings),
        erp_credentials(settings.erp),
        wanted,
        writes=arguments.write,
        told=lambda line: err.write(f"{line}\n"),
    )
    try:
        run = asyncio.run(asking)
    except ErpLoginRejected as error:
        err.write(f"{login_refused(error.code)}\n")
        return _NOT_ASKED
    except ErpError as error:
        err.write(f"No se pudo conectar con el Service Layer: {error}\n")
        return _NOT_ASKED
    asked = Asked(
        service="erp-gateway",
        version=version("erp-gateway"),
        answers=[answer_of(finding) for finding in run.findings],
        stays=run.stays,
        calls=run.calls,
    )
    print_asked(asked, as_json=arguments.json, out=out)
    return asked.exit_code

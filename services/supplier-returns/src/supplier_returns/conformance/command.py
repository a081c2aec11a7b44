"""`conformance`: ask the ERP whether it does what the returns count on. Reads, unless told otherwise."""

import argparse
import asyncio
from collections.abc import Callable
from getpass import getpass
from importlib.metadata import version
from typing import Final, TextIO

from erpclient import ErpError, ErpLoginRejected
from erpdoctor.conformance.running import run_questions
from erpdoctor.questions import Asked, answer_of, login_refused, print_asked, why_not_ask
from supplier_returns.components import erp_settings
from supplier_returns.conformance.person import credentials_of
from supplier_returns.conformance.questions import QUESTIONS
from supplier_returns.settings import Settings

_NOT_ASKED: Final = 2


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
    company, environment = settings.service_layer.company_db, settings.installation.environment
    names = [question.name for question in QUESTIONS]
    refusal = why_not_ask(arguments, names, company=company, environment=environment, ask=ask)
    if refusal is not None:
        err.write(f"{refusal}\n")
        return _NOT_ASKED
    wanted = [each for each in QUESTIONS if not arguments.only or each.name in arguments.only]
    try:
        run = asyncio.run(
            run_questions(
                erp_settings(settings.service_layer),
                credentials_of(arguments, company, ask=ask, ask_secret=ask_secret),
                wanted,
                writes=arguments.write,
                told=lambda line: err.write(f"{line}\n"),
            )
        )
    except (OSError, UnicodeDecodeError) as error:
        err.write(f"No se pudo leer la clave: {error}\n")
        return _NOT_ASKED
    except ErpLoginRejected as error:
        err.write(f"{login_refused(error.code)}\n")
        return _NOT_ASKED
    except ErpError as error:
        err.write(f"No se pudo conectar con el Service Layer: {error}\n")
        return _NOT_ASKED
    asked = Asked(
        service="supplier-returns",
        version=version("supplier-returns"),
        answers=[answer_of(finding) for finding in run.findings],
        stays=run.stays,
        calls=run.calls,
    )
    print_asked(asked, as_json=arguments.json, out=out)
    return asked.exit_code

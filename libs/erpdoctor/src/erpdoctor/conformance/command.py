"""The run of a service's `conformance`, from its arguments to what is printed."""

import argparse
import asyncio
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Final, TextIO

from erpclient import Credentials, ErpError, ErpLoginRejected, ErpSettings
from erpdoctor.conformance.question import Question
from erpdoctor.conformance.running import run_questions
from erpdoctor.questions import Asked, answer_of, login_refused, print_asked, why_not_ask

_NOT_ASKED: Final = 2


def ask_and_print(
    arguments: argparse.Namespace,
    questions: Sequence[Question],
    erp: ErpSettings,
    credentials: Callable[[], Credentials],
    *,
    service: str,
    company: str,
    environment: str,
    out: TextIO,
    err: TextIO,
    ask: Callable[[str], str],
) -> int:
    """Ask the questions that were asked for and print; return the exit code.

    Args:
        arguments: as `add_question_arguments` declares them.
        questions: all that there are.
        erp: where the Service Layer is.
        credentials: says who asks, once it is sure that something is asked.
        service: name of the distribution whose suite it is.
        company: the configured one.
        environment: what kind of installation this is.
        out: where the result is printed.
        err: where progress and complaints are told.
        ask: shows a prompt and returns the line that was typed.
    """
    names = [question.name for question in questions]
    refusal = why_not_ask(arguments, names, company=company, environment=environment, ask=ask)
    if refusal is not None:
        err.write(f"{refusal}\n")
        return _NOT_ASKED
    try:
        who = credentials()
    except (OSError, UnicodeDecodeError) as error:
        err.write(f"No se pudo leer la clave: {error}\n")
        return _NOT_ASKED
    wanted = [each for each in questions if not arguments.only or each.name in arguments.only]
    asking = run_questions(erp, who, wanted, writes=arguments.write, told=lambda line: err.write(f"{line}\n"))
    try:
        run = asyncio.run(asking)
    except ErpLoginRejected as error:
        err.write(f"{login_refused(error.code)}\n")
        return _NOT_ASKED
    except ErpError as error:
        err.write(f"No se pudo conectar con el Service Layer: {error}\n")
        return _NOT_ASKED
    asked = Asked(
        service=service,
        version=version(service),
        answers=[answer_of(finding) for finding in run.findings],
        stays=run.stays,
        calls=run.calls,
    )
    print_asked(asked, as_json=arguments.json, out=out)
    return asked.exit_code

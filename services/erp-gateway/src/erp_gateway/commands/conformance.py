"""`conformance`: ask the ERP whether it does what the gateway counts on. Reads, unless told otherwise."""

import argparse
import asyncio
import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Final, TextIO

from erp_gateway.components import erp_credentials, erp_settings
from erp_gateway.conformance.questions import QUESTIONS
from erp_gateway.settings.whole import Settings
from erpclient import ErpError, ErpLoginRejected
from erpclient.conformance.asking import Finding, ask_all
from erpclient.conformance.ground import Ground
from erpclient.conformance.line import Line
from servicekit.doctor.questions import (
    Answer,
    Asked,
    Verdict,
    unknown_names,
    why_not_write,
)

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
    refusal = unknown_names(arguments.only, [question.name for question in QUESTIONS]) or why_not_write(
        arguments,
        company=settings.erp.company_db,
        environment=settings.installation.environment,
        ask=ask,
    )
    if refusal is not None:
        err.write(f"{refusal}\n")
        return _NOT_ASKED
    try:
        asked = asyncio.run(_ask(arguments, settings, err))
    except ErpError as error:
        err.write(f"{_why_not_asked(error)}\n")
        return _NOT_ASKED
    if arguments.json:
        out.write(f"{json.dumps(asked.as_json(), ensure_ascii=False, indent=1)}\n")
    else:
        out.writelines(f"{line}\n" for line in asked.lines())
    out.flush()
    return asked.exit_code


async def _ask(arguments: argparse.Namespace, settings: Settings, err: TextIO) -> Asked:
    questions = [each for each in QUESTIONS if not arguments.only or each.name in arguments.only]
    answers = []
    async with Line(erp_settings(settings), erp_credentials(settings.erp)) as line:
        ground = Ground(line)
        try:
            async for finding in ask_all(questions, ground, writes=arguments.write):
                answers.append(_answer(finding))
                err.write(f"[{len(answers)}/{len(questions)}] {finding.question.name}\n")
        except BaseException:
            err.writelines(f"{sentence}\n" for sentence in await ground.tidy())
            raise
        stays = await ground.tidy()
        return Asked(
            service="erp-gateway",
            version=version("erp-gateway"),
            answers=answers,
            stays=stays,
            calls=line.calls,
        )


def _answer(finding: Finding) -> Answer:
    return Answer(
        name=finding.question.name,
        verdict=Verdict(finding.verdict.value),
        expected=finding.expected,
        seen=finding.seen,
        reason=finding.reason,
        skip="" if finding.skip is None else finding.skip.value,
    )


def _why_not_asked(error: Exception) -> str:
    if isinstance(error, ErpLoginRejected):
        return (
            f"El ERP rechazó el inicio de sesión (código {error.code}). No se intenta de nuevo: los rechazos "
            "repetidos bloquean al usuario."
        )
    return f"No se pudo conectar con el Service Layer: {error}"

"""A run of a service's `conformance`, from arguments to output."""

import argparse
import asyncio
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Final, TextIO

from attrs import frozen

from erpclient import Credentials, ErpError, ErpLoginRejected, ErpSettings
from erpdoctor.command import print_run
from erpdoctor.conformance.arguments import reason_not_to_ask
from erpdoctor.conformance.fixture import Fixture
from erpdoctor.conformance.question import Interview, Question
from erpdoctor.conformance.report import ConformanceReport
from erpdoctor.conformance.session import ProbeSession
from erpdoctor.report import Result
from erpdoctor.running import run_checks
from erpdoctor.service_layer.login import login_refused
from servicekit.clock import SystemClock

_NOT_ASKED: Final = 2


@frozen(kw_only=True)
class Suite:
    """Questions of a service and the ERP to test.

    Attributes:
        service: name of its distribution.
        questions: all questions.
        erp: settings of the Service Layer.
        credentials: returns the credentials; called only if questions are selected.
        company: the configured company.
        environment: kind of the installation.
    """

    service: str
    questions: Sequence[Question]
    erp: ErpSettings
    credentials: Callable[[], Credentials]
    company: str
    environment: str


def run_and_print_questions(
    arguments: argparse.Namespace,
    suite: Suite,
    *,
    out: TextIO,
    err: TextIO,
    ask: Callable[[str], str] = input,
) -> int:
    """Run the selected questions, print the answers and return the exit code.

    Args:
        arguments: as `add_question_arguments` declares them.
        suite: of the service.
        out: output of the result.
        err: output of progress and errors.
        ask: shows a prompt and returns the line that was typed.
    """
    names = [question.name for question in suite.questions]
    refusal = reason_not_to_ask(
        arguments, names, company=suite.company, environment=suite.environment, ask=ask
    )
    if refusal is not None:
        err.write(f"{refusal}\n")
        return _NOT_ASKED
    try:
        who = suite.credentials()
    except (OSError, UnicodeDecodeError) as error:
        err.write(f"No se pudo leer la clave: {error}\n")
        return _NOT_ASKED
    selected = [each for each in suite.questions if not arguments.only or each.name in arguments.only]
    asking = run_questions(
        suite.erp,
        who,
        selected,
        service=suite.service,
        writes=arguments.write,
        report_line=lambda line: err.write(f"{line}\n"),
    )
    try:
        report = asyncio.run(asking)
    except ErpLoginRejected as error:
        err.write(f"{login_refused(error.code)}\n")
        return _NOT_ASKED
    except ErpError as error:
        err.write(f"No se pudo conectar con el Service Layer: {error}\n")
        return _NOT_ASKED
    print_run(report.as_json(), report.lines(), as_json=arguments.json, out=out)
    return report.exit_code


async def run_questions(
    settings: ErpSettings,
    credentials: Credentials,
    questions: Sequence[Question],
    *,
    service: str,
    writes: bool,
    report_line: Callable[[str], object],
) -> ConformanceReport:
    """Run all questions in one session. Created documents are cancelled, even if the run fails.

    Args:
        settings: settings of the Service Layer.
        credentials: the ERP user.
        questions: the questions in order.
        service: name of the distribution whose suite it is.
        writes: whether to run questions that change data.
        report_line: receives each finished question. If the run aborts, it receives the records that stay in
            the ERP.

    Raises:
        ErpError: the login fails.
    """

    def on_end(at: int, _result: Result) -> None:
        report_line(f"[{at + 1}/{len(questions)}] {questions[at].name}")

    async with ProbeSession(settings, credentials) as line:
        fixture = Fixture(line)
        interview = Interview(fixture, writes=writes)
        try:
            results = await run_checks(
                [interview.check(question) for question in questions], clock=SystemClock(), on_end=on_end
            )
        except BaseException:
            for sentence in await fixture.tidy():
                report_line(sentence)
            raise
        return ConformanceReport(
            service=service,
            version=version(service),
            results=results,
            questions=questions,
            dialect=line.dialect,
            stays=await fixture.tidy(),
            calls=line.calls,
        )

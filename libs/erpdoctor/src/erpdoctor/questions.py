"""The command line of a suite of questions: its arguments, the leave to write, what is printed."""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final, Protocol, TextIO

from attrs import frozen

from erpclient import Credentials

FORM: Final = 1
"""Number of the JSON's form; it changes when a member changes its meaning."""

PAGE: Final = "docs/assumptions.md"


class Verdict(Enum):
    """What came of a question."""

    AS_EXPECTED = "as_expected"
    DIFFERS = "differs"
    SKIPPED = "skipped"
    UNANSWERED = "unanswered"


_WORDS: Final = {
    Verdict.AS_EXPECTED: "bien",
    Verdict.DIFFERS: "distinto",
    Verdict.SKIPPED: "omitida",
    Verdict.UNANSWERED: "sin respuesta",
}
_NUMBERED: Final = {
    Verdict.AS_EXPECTED: "como se espera",
    Verdict.DIFFERS: "distintas",
    Verdict.SKIPPED: "omitidas",
    Verdict.UNANSWERED: "sin respuesta",
}


_SKIPPED: Final = {
    "never_asked": "nunca se pregunta: haría daño, o no se puede provocar desde fuera",
    "needs_writing": "solo con --write, porque crea y cambia documentos de prueba",
    "gave_up": "no se preguntó: las preguntas anteriores quedaron sin respuesta",
    "nothing_there": "la empresa no tiene el dato que hace falta para preguntar",
}


@frozen(kw_only=True)
class Answer:
    """What came of one question, in words without any value of the installation's.

    Attributes:
        name: the question's.
        verdict: what came of it.
        expected: the answer that the program counts on.
        seen: the answer; None without one.
        reason: why there is none, in English, for programs.
        skip: the word of the reason for which it was not asked; empty where it was.
    """

    name: str
    verdict: Verdict
    expected: str
    seen: str | None = None
    reason: str = ""
    skip: str = ""


@frozen(kw_only=True)
class Asked:
    """A whole run.

    Attributes:
        service: whose suite it was.
        version: of the service.
        answers: what came of each question, in their order.
        stays: what was created and stays, a sentence each; for the terminal, since it names documents.
        calls: how many requests were sent.
    """

    service: str
    version: str
    answers: Sequence[Answer]
    stays: Sequence[str] = ()
    calls: int = 0

    @property
    def exit_code(self) -> int:
        """0 where all answers are as expected, 1 where one differs, 2 where one did not come."""
        found = {answer.verdict for answer in self.answers}
        if Verdict.UNANSWERED in found:
            return 2
        return 1 if Verdict.DIFFERS in found else 0

    def as_json(self) -> dict[str, Any]:
        """Return the run for programs; nothing in it tells whose installation it is."""
        return {
            "conformance": FORM,
            "service": self.service,
            "version": self.version,
            "counts": {verdict.value: number for verdict, number in self._counts().items()},
            "calls": self.calls,
            "stays": len(self.stays),
            "questions": [
                {
                    "name": answer.name,
                    "verdict": answer.verdict.value,
                    "expected": answer.expected,
                    "seen": answer.seen,
                    "reason": answer.reason or None,
                }
                for answer in self.answers
            ],
        }

    def lines(self) -> Iterator[str]:
        """Yield what people read, in Spanish."""
        width = max((len(answer.name) for answer in self.answers), default=0)
        for answer in self.answers:
            yield f"  {_WORDS[answer.verdict]:<14}{answer.name:<{width}}  {_told(answer)}".rstrip()
            if answer.verdict is Verdict.DIFFERS:
                yield f"{' ' * 16}Qué cambia aquí y de dónde se sabe: {PAGE}, {answer.name}"
        yield ""
        if self.stays:
            yield "Queda en el ERP:"
            yield from (f"  {sentence}" for sentence in self.stays)
            yield ""
        counts = ", ".join(f"{number} {_NUMBERED[verdict]}" for verdict, number in self._counts().items())
        yield f"{len(self.answers)} preguntas, {self.calls} llamadas: {counts}"

    def _counts(self) -> Mapping[Verdict, int]:
        found = Counter(answer.verdict for answer in self.answers)
        return {verdict: found[verdict] for verdict in Verdict}


def _told(answer: Answer) -> str:
    if answer.verdict is Verdict.AS_EXPECTED:
        return answer.expected
    if answer.verdict is Verdict.DIFFERS:
        return f"se espera {answer.expected}, responde {answer.seen}"
    return _SKIPPED.get(answer.skip, "no hubo respuesta")


class Named(Protocol):
    """A question, as far as it is told here."""

    @property
    def name(self) -> str:
        """Its name."""
        ...


class Found(Protocol):
    """What came of a question, as whoever asked it tells; its verdict is one of `Verdict`'s words."""

    @property
    def question(self) -> Named:
        """What was asked."""
        ...

    @property
    def verdict(self) -> Enum:
        """What came of it."""
        ...

    @property
    def expected(self) -> str:
        """The answer that the program counts on."""
        ...

    @property
    def seen(self) -> str | None:
        """The answer."""
        ...

    @property
    def reason(self) -> str:
        """Why there is none."""
        ...

    @property
    def skip(self) -> Enum | None:
        """Why it was not asked."""
        ...


def answer_of(found: Found) -> Answer:
    """Return what came of a question as it is told here."""
    return Answer(
        name=found.question.name,
        verdict=Verdict(found.verdict.value),
        expected=found.expected,
        seen=found.seen,
        reason=found.reason,
        skip="" if found.skip is None else found.skip.value,
    )


def print_asked(asked: Asked, *, as_json: bool, out: TextIO) -> None:
    """Print a run as JSON or for people."""
    if as_json:
        out.write(f"{json.dumps(asked.as_json(), ensure_ascii=False, indent=1)}\n")
    else:
        out.writelines(f"{line}\n" for line in asked.lines())
    out.flush()


def login_refused(code: object) -> str:
    """Return, in Spanish, that the login was refused, with the other side's own code."""
    return (
        f"El ERP rechazó el inicio de sesión (código {code}). No se intenta de nuevo: los rechazos "
        "repetidos bloquean al usuario."
    )


def add_question_arguments(parser: argparse.ArgumentParser, *, credentials: bool) -> None:
    """Declare the arguments of a suite.

    Args:
        parser: of the command.
        credentials: whether user and password are no settings of the service.
    """
    parser.add_argument("--json", action="store_true", help="print one JSON object; it names no host or user")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="ask this; may be given more than once"
    )
    parser.add_argument(
        "--write", action="store_true", help="ask also what takes documents of the suite's own making"
    )
    parser.add_argument("--company", metavar="NAME", help="the configured company, with --write")
    if credentials:
        parser.add_argument("--user", metavar="NAME", help="the ERP user; asked on the terminal if not given")
        parser.add_argument(
            "--password-file",
            type=Path,
            metavar="FILE",
            help="holds the password; asked on the terminal if not given",
        )


def credentials_of(
    arguments: argparse.Namespace,
    company: str,
    *,
    ask: Callable[[str], str],
    ask_secret: Callable[[str], str],
) -> Credentials:
    """Return who logs in: from `--user` and `--password-file`, or asked for on the terminal.

    Args:
        arguments: with `user` and `password_file`.
        company: the configured one.
        ask: shows a prompt and returns the line that was typed.
        ask_secret: the same, without showing what is typed.

    Raises:
        OSError: the file can't be read.
        UnicodeDecodeError: it holds no text.
    """
    user = arguments.user or ask("Usuario del ERP: ").strip()
    if arguments.password_file is None:
        password = ask_secret("Clave: ")
    else:
        password = arguments.password_file.read_text(encoding="utf-8").rstrip("\r\n")
    return Credentials(company, user, password)


def why_not_ask(
    arguments: argparse.Namespace,
    known: Sequence[str],
    *,
    company: str,
    environment: str,
    ask: Callable[[str], str],
) -> str | None:
    """Return, in Spanish, why this run can't be: a name that is none, or no leave to write; else None.

    Args:
        arguments: as of `why_not_write`.
        known: the names of all questions.
        company: as of `why_not_write`.
        environment: as of `why_not_write`.
        ask: as of `why_not_write`.
    """
    return unknown_names(arguments.only, known) or why_not_write(
        arguments, company=company, environment=environment, ask=ask
    )


def why_not_write(
    arguments: argparse.Namespace, *, company: str, environment: str, ask: Callable[[str], str]
) -> str | None:
    """Return, in Spanish, why this run may not write; None where it may, or does not want to.

    It may where `--company` is the configured one, the installation is not one that people work with, and
    the company's name is typed once more.

    Args:
        arguments: as `add_question_arguments` declares them.
        company: the configured one.
        environment: what kind of installation this is.
        ask: shows a prompt and returns the line that was typed.
    """
    if not arguments.write:
        return None if arguments.company is None else "--company solo tiene sentido con --write."
    if environment == "production":
        return "Con ENVIRONMENT=production no se escribe nada."
    if arguments.company != company:
        return "--company no es la empresa configurada."
    if ask(f"Se crearán y anularán documentos en {company}. Escriba su nombre otra vez: ").strip() != company:
        return "El nombre escrito no es el de la empresa."
    return None


def unknown_names(only: Sequence[str], known: Sequence[str]) -> str | None:
    """Return, in Spanish, which names are none; None where all are."""
    wrong = [name for name in only if name not in known]
    return f"No hay tal pregunta: {', '.join(wrong)}; todas están en {PAGE}." if wrong else None

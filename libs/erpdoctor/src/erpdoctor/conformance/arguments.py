"""Arguments of `conformance`: questions, permission to write, credentials."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from erpclient import Credentials
from erpdoctor.conformance.question import PAGE


def add_question_arguments(parser: argparse.ArgumentParser, *, credentials: bool) -> None:
    """Declare the arguments of a suite.

    Args:
        parser: of the command.
        credentials: whether to add user and password, for a service without settings for them.
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
    """Return the credentials: from `--user` and `--password-file`, or from a prompt.

    Args:
        arguments: with `user` and `password_file`.
        company: the configured company.
        ask: shows a prompt and returns the line that was typed.
        ask_secret: likewise, without echoing the input.

    Raises:
        OSError: the file can't be read.
        UnicodeDecodeError: the file is not UTF-8.
    """
    user = arguments.user or ask("Usuario del ERP: ").strip()
    if arguments.password_file is None:
        password = ask_secret("Clave: ")
    else:
        password = arguments.password_file.read_text(encoding="utf-8").rstrip("\r\n")
    return Credentials(company, user, password)


def reason_not_to_ask(
    arguments: argparse.Namespace,
    valid_names: Sequence[str],
    *,
    company: str,
    environment: str,
    ask: Callable[[str], str],
) -> str | None:
    """Return in Spanish why the run is rejected: unknown names, or no permission to write; else None.

    Args:
        arguments: as of `reason_not_to_write`.
        valid_names: names of all questions.
        company: as of `reason_not_to_write`.
        environment: as of `reason_not_to_write`.
        ask: as of `reason_not_to_write`.
    """
    return unknown_names(arguments.only, valid_names) or reason_not_to_write(
        arguments, company=company, environment=environment, ask=ask
    )


def reason_not_to_write(
    arguments: argparse.Namespace, *, company: str, environment: str, ask: Callable[[str], str]
) -> str | None:
    """Return in Spanish why this run may not write, or None if it may, or does not write.

    It may if `--company` is the configured company, the installation is not in productive use, and the user
    types the company's name once more.

    Args:
        arguments: as `add_question_arguments` declares them.
        company: the configured one.
        environment: kind of the installation.
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


def unknown_names(only: Sequence[str], valid_names: Sequence[str]) -> str | None:
    """Return in Spanish the unknown names, or None if there are none."""
    wrong = [name for name in only if name not in valid_names]
    return f"No hay tal pregunta: {', '.join(wrong)}; todas están en {PAGE}." if wrong else None

"""Whose session it is: this service has no account of its own."""

import argparse
from collections.abc import Callable

from erpclient import Credentials


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

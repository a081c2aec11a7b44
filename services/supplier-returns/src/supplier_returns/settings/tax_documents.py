# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Settings of the tax-document web service."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from attrs import frozen

from servicekit.config import (
    Parser,
    authority_problems,
    boolean,
    integer,
    seconds,
    setting,
)
from servicekit.config.problems import Problem
from servicekit.service_settings import authorities

_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")


def host_names() -> Parser[tuple[str, ...]]:
    """Return a parser for host names, separated by commas."""

    def parse(value: str) -> tuple[str, ...]:
        names = tuple(name.strip().lower() for name in value.split(",") if name.strip())
        if not names or any(not _HOST.fullmatch(name) for name in names):
            raise ValueError(value)
        return names

    return Parser(
        parse,
        "names of hosts separated by commas, such as dte.example.cl",
        "nombres de servidores separados por comas, como dte.example.cl",
    )


@frozen(kw_only=True)
class TaxDocuments:
    """Tax-document web service.

    Its address and credentials are in the ERP, in the table `@DTE_CONFC`.
    """

    timeout_s: float = setting(
        "DTE_TIMEOUT", help="Seconds that one tax document may take.", parse=seconds(1, 3600), default=120.0
    )
    max_bytes: int = setting(
        "DTE_MAX_BYTES",
        help="Largest response in bytes, uncompressed.",
        parse=integer(1024, 1024 * 1024 * 1024),
        default=40 * 1024 * 1024,
    )
    hosts: tuple[str, ...] | None = setting(
        "DTE_HOSTS",
        help="Host names that the service's address may have, separated by commas. Unset: any.",
        parse=host_names(),
        default=None,
    )
    allow_local: bool = setting(
        "DTE_ALLOW_LOCAL",
        help="Allow the service to be on this host. Outside production it always may be.",
        parse=boolean(),
        default=False,
    )
    ca_file: Path | None = authorities("DTE_CA_FILE", whose=" for this service")
    concurrency: int = setting(
        "DTE_CONCURRENCY", help="Tax documents fetched at the same time.", parse=integer(1, 16), default=3
    )

    def problems(self) -> Iterator[Problem]:
        """Yield problems of the file of authorities."""
        yield from authority_problems("DTE_CA_FILE", self.ca_file)

# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Settings of single modules, and of those that an installation may do without."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from attrs import frozen

from erp_gateway.settings.erp import EXAMPLE_PASSWORD
from servicekit.config import (
    Parser,
    Secret,
    authority_problems,
    boolean,
    choice,
    csv,
    http_url,
    integer,
    path,
    seconds,
    setting,
    text,
)
from servicekit.config.problems import Problem
from servicekit.erp.settings import user_field
from servicekit.service_settings import authorities

_MOST_LOOKS: Final = 10


def rising_seconds() -> Parser[tuple[float, ...]]:
    """Numbers of seconds separated by commas, each greater than the one before."""
    one = seconds(0.1, 86_400)

    def read(raw: str) -> tuple[float, ...]:
        found = tuple(one.read(part.strip()) for part in raw.split(","))
        if len(found) > _MOST_LOOKS or any(later <= first for first, later in pairwise(found)):
            raise ValueError(raw)
        return found

    return Parser(
        read,
        "1 to 10 rising numbers of seconds from 0.1 to 86400, separated by commas, like 30,300,1800",
        "de 1 a 10 números crecientes de segundos de 0.1 a 86400, separados por comas, como 30,300,1800",
        lambda value: ",".join(one.show(part) for part in value),
    )


@frozen(kw_only=True)
class LedgerRules:
    """Ledger of writes."""

    required: bool = setting(
        "LEDGER_REQUIRED",
        help="Refuse a write to the ERP (503) if its ledger entry can't be stored first.",
        parse=boolean(),
        default=False,
    )
    idempotency_hours: int = setting(
        "IDEMPOTENCY_HOURS",
        help="Hours to keep an Idempotency-Key and the response recorded for it.",
        parse=integer(1, 8760),
        default=24,
    )
    trace_field: str | None = setting(
        "WRITE_TRACE_FIELD",
        help="User field of at least 26 characters that stores the number of the write in each new "
        "document. Without it, unknown writes are not looked up.",
        parse=user_field(),
        default=None,
    )
    trace_lookups_s: tuple[float, ...] = setting(
        "WRITE_TRACE_LOOKS",
        help="Seconds after an unknown create at which it is looked up by that field.",
        parse=rising_seconds(),
        default=(30.0, 300.0, 1800.0),
    )

    @property
    def own_fields(self) -> frozenset[str]:
        """Casefolded names of fields that only the gateway writes."""
        return frozenset() if self.trace_field is None else frozenset({self.trace_field.casefold()})


@frozen(kw_only=True)
class ReferenceData:
    """Reference data answered from memory."""

    fresh_s: float = setting(
        "REFERENCE_FRESH_S",
        help="Seconds for which reference data is answered from memory. 0: never.",
        parse=seconds(0, 3600),
        default=60.0,
    )
    stale_s: float = setting(
        "STALE_IF_ERROR_S",
        help="Seconds for which it is still answered while the ERP is unreachable or silent. 0: never.",
        parse=seconds(0, 86_400),
        default=0.0,
    )

    @property
    def is_on(self) -> bool:
        """True if reference data is cached."""
        return self.fresh_s > 0 or self.stale_s > 0


@frozen(kw_only=True)
class ReportGateway:
    """Report gateway."""

    url: str = setting(
        "APIGATEWAY_URL",
        help="Address of the report gateway. Without it this module is off.",
        example="https://10.0.0.5:60000",
        parse=http_url(),
    )
    company_db: str = setting(
        "APIGATEWAY_COMPANY_DB",
        help="Database to name at login.",
        example="SBO_COMPANY",
        parse=text(max_length=254),
    )
    user: str = setting(
        "APIGATEWAY_USER", help="User to log in with.", example="gateway", parse=text(max_length=254)
    )
    password: Secret = setting(
        "APIGATEWAY_PASSWORD", help="Password of that user.", example=EXAMPLE_PASSWORD, secret=True
    )
    instance: str | None = setting(
        "APIGATEWAY_INSTANCE",
        help="Database instance to name at login, if the report gateway serves several.",
        example="10.0.0.5:30015",
        parse=text(max_length=254),
        default=None,
    )
    timeout_s: float = setting(
        "APIGATEWAY_TIMEOUT", help="Seconds that one report may take.", parse=seconds(1, 3600), default=120.0
    )
    max_concurrency: int = setting(
        "APIGATEWAY_MAX_CONCURRENCY", help="Concurrent reports.", parse=integer(1, 64), default=2
    )
    check_document: bool = setting(
        "APIGATEWAY_CHECK_DOCUMENT",
        help="Check with one read before each print that the documents exist in the ERP.",
        parse=boolean(),
        default=True,
    )
    refuse_blank: bool = setting(
        "APIGATEWAY_REFUSE_BLANK",
        help="Refuse a document that prints as a blank page, as `report_empty`.",
        parse=boolean(),
        default=True,
    )
    ca_file: Path | None = authorities("APIGATEWAY_CA_FILE")

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between these settings."""
        yield from authority_problems("APIGATEWAY_CA_FILE", self.ca_file)


@frozen(kw_only=True)
class ErpDatabase:
    """Read-only access to the ERP's database."""

    engine: str = setting(
        "ERPDB_ENGINE",
        help="Kind of database. Without it this module is off. hana needs hdbcli, which the published image "
        "lacks (SAP's licence): build one with WITH_HANA=1. sqlite is for trials.",
        example="hana",
        parse=choice("hana", "sqlite"),
    )
    server: str | None = setting(
        "ERPDB_SERVER",
        help="Host name or address. Required for hana.",
        example="10.0.0.5",
        parse=text(max_length=254),
        default=None,
    )
    port: int = setting(
        "ERPDB_PORT",
        help="Port of the database: 3NN15, or 3NN13 together with ERPDB_DATABASE.",
        parse=integer(1, 65535),
        default=30015,
    )
    database: str | None = setting(
        "ERPDB_DATABASE",
        help="For hana the tenant database. For sqlite the path of the file, which is required.",
        parse=text(),
        default=None,
    )
    user: str | None = setting(
        "ERPDB_USER",
        help="Database user. Required for hana. Grant it only SELECT in the schema.",
        example="GATEWAY_READ",
        parse=text(max_length=254),
        default=None,
    )
    password: Secret | None = setting(
        "ERPDB_PASSWORD",
        help="Password of that user. Required for hana.",
        example=EXAMPLE_PASSWORD,
        secret=True,
        default=None,
    )
    schema: str | None = setting(
        "ERPDB_SCHEMA",
        help="Schema of the company. Required for hana.",
        example="SBO_COMPANY",
        parse=text(max_length=127),
        default=None,
    )
    encrypt: bool = setting("ERPDB_ENCRYPT", help="Encrypt the connection.", parse=boolean(), default=True)
    ca_file: Path | None = setting(
        "ERPDB_CA_FILE",
        help="PEM file with the certificate authorities to trust for it.",
        parse=path(),
        default=None,
    )
    tls_name: str | None = setting(
        "ERPDB_TLS_NAME",
        help="Name to expect in the database's certificate, if it is not ERPDB_SERVER.",
        parse=text(max_length=254),
        default=None,
    )
    connect_timeout_s: float = setting(
        "ERPDB_CONNECT_TIMEOUT",
        help="Seconds that connecting may take.",
        parse=seconds(0.1, 600),
        default=10.0,
    )
    max_concurrency: int = setting(
        "ERPDB_MAX_CONCURRENCY",
        help="Concurrent queries. One query may use at most half of the places.",
        parse=integer(1, 64),
        default=4,
    )
    timeout_s: float = setting(
        "ERPDB_TIMEOUT", help="Seconds that one query may take.", parse=seconds(0.1, 3600), default=30.0
    )
    max_rows: int = setting(
        "ERPDB_MAX_ROWS",
        help="Rows that one query returns at most.",
        parse=integer(1, 1_000_000),
        default=5000,
    )
    cache_mb: int = setting(
        "ERPDB_CACHE_MB",
        help="Megabytes for cached results. Only queries that declare a cache use it.",
        parse=integer(1, 10_000),
        default=32,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between these settings."""
        required: dict[str, object] = (
            {"ERPDB_DATABASE": self.database}
            if self.engine == "sqlite"
            else {
                "ERPDB_SERVER": self.server,
                "ERPDB_USER": self.user,
                "ERPDB_PASSWORD": self.password,
                "ERPDB_SCHEMA": self.schema,
            }
        )
        for name, value in required.items():
            if value is None:
                yield Problem(
                    name,
                    f"required when ERPDB_ENGINE is {self.engine}",
                    f"es obligatorio cuando ERPDB_ENGINE es {self.engine}",
                )
        yield from authority_problems("ERPDB_CA_FILE", self.ca_file)


@frozen(kw_only=True)
class HtmlPdf:
    """HTML reports as PDF."""

    engine: str = setting(
        "HTML_PDF_ENGINE",
        help="Engine that prints PDFs: a headless browser, or WeasyPrint on hosts without one. "
        "none turns PDFs off.",
        parse=choice("browser", "weasyprint", "none"),
        default="browser",
    )
    browser_bin: Path | None = setting(
        "BROWSER_BIN",
        help="Path of the headless browser. Without it the usual places are searched.",
        parse=path(),
        default=None,
    )
    sandbox: bool = setting(
        "HTML_PDF_SANDBOX",
        help="Use the browser's own sandbox. It can't run as root and in many containers.",
        parse=boolean(),
        default=True,
    )
    max_concurrency: int = setting(
        "HTML_PDF_MAX_CONCURRENCY",
        help="Documents printed at the same time.",
        parse=integer(1, 16),
        default=1,
    )
    timeout_s: float = setting(
        "HTML_PDF_TIMEOUT",
        help="Seconds for each part of an HTML report: data and template, waiting for its turn, printing.",
        parse=seconds(1, 3600),
        default=60.0,
    )
    reload: bool = setting(
        "HTML_REPORTS_RELOAD",
        help="Read templates again for each report. Refused in production, always on in development.",
        parse=boolean(),
        default=False,
    )


_EXTENSION: Final = re.compile(r"[a-z0-9]{1,10}")


def file_extensions() -> Parser[tuple[str, ...]]:
    """Extensions of files separated by commas, in any letter case."""
    words = csv()

    def read(raw: str) -> tuple[str, ...]:
        found = tuple(word.lower() for word in words.read(raw))
        if not found or not all(_EXTENSION.fullmatch(word) for word in found):
            raise ValueError(raw)
        return found

    return Parser(
        read,
        "extensions of letters and digits separated by commas, like pdf,jpg",
        "extensiones de letras y dígitos separadas por comas, como pdf,jpg",
        words.show,
    )


@frozen(kw_only=True)
class Attachments:
    """Attachments of records."""

    max_bytes: int = setting(
        "ATTACHMENT_MAX_BYTES",
        help="Largest file to add to a record, in bytes. Several files in one request count together.",
        parse=integer(1024, 50 * 1024 * 1024),
        default=20 * 1024 * 1024,
    )
    extensions: tuple[str, ...] = setting(
        "ATTACHMENT_EXTENSIONS",
        help="Extensions of files that may be added.",
        parse=file_extensions(),
        default=("pdf", "doc", "docx", "jpg", "jpeg", "png", "txt", "xls", "xlsx", "ppt", "pptx"),
    )


@frozen(kw_only=True)
class Exports:
    """Exports as CSV and XLSX."""

    max_rows: int = setting(
        "EXPORT_MAX_ROWS",
        help="Rows that one export may have. A larger one is refused, never truncated.",
        parse=integer(1, 1_000_000),
        default=50_000,
    )
    max_concurrency: int = setting(
        "EXPORT_MAX_CONCURRENCY",
        help="Concurrent exports. One user may use at most half of the places.",
        parse=integer(1, 16),
        default=2,
    )
    spool_mb: int = setting(
        "EXPORT_SPOOL_MB",
        help="Megabytes for the files of all exports. One user may use at most half.",
        parse=integer(1, 100_000),
        default=256,
    )
    min_rate_kb: int = setting(
        "EXPORT_MIN_RATE",
        help="Slowest download that is allowed, in kilobytes per second over any 60 seconds.",
        parse=integer(4, 100_000),
        default=16,
    )
    max_s: float = setting(
        "EXPORT_MAX_SECONDS",
        help="Seconds that a download may take.",
        parse=seconds(1, 86_400),
        default=900.0,
    )
    keep_minutes: int = setting(
        "EXPORT_KEEP_MINUTES",
        help="Minutes to keep the result of a long export for its owner.",
        parse=integer(1, 1440),
        default=15,
    )
    jobs_per_user: int = setting(
        "EXPORT_JOBS_PER_USER",
        help="Long exports that one user may have, running or kept.",
        parse=integer(1, 100),
        default=10,
    )

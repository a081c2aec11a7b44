# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Every setting of the gateway: declared once, with its rule, default and one line of help.

Nothing here reads the environment when imported; `load_settings` does, and reports all faults at once.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen

from erp_gateway.module_settings import (
    ErpDatabase,
    Exports,
    HtmlPdf,
    LedgerRules,
    ReferenceData,
    ReportGateway,
)
from servicekit.config import (
    Parser,
    Secret,
    authority_problems,
    boolean,
    choice,
    csv,
    effective,
    group,
    http_url,
    integer,
    load,
    networks,
    path,
    seconds,
    setting,
    text,
    timezone,
)
from servicekit.config.load import Problem
from servicekit.config.parsers import Network
from servicekit.logs import LogSettings

OWN_PREFIXES: Final = (
    "ERP_SL_",
    "ERPDB_",
    "APIGATEWAY_",
    "HTML_PDF_",
    "EXPORT_",
    "AUDIT_",
    "LEDGER_",
    "IDEMPOTENCY_",
    "WRITE_TRACE_",
)
"""Unknown names with one of these are faults in the environment too, since nobody else would use them."""

GRACE_MARGIN_S: Final = 10.0
"""How much longer a shutdown waits than the longest call to the ERP or its report gateway may take."""

_MODULE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_VERSIONED: Final = re.compile(r".*/v[12]")


def service_layer_url() -> Parser[str]:
    """An http(s) URL that ends with the version segment of the API, `/v1` or `/v2`."""
    any_url = http_url()

    def read(value: str) -> str:
        url = any_url.read(value)
        if not _VERSIONED.fullmatch(url):
            raise ValueError(value)
        return url

    return Parser(read, "an http or https URL that ends with /v1 or /v2, like https://10.0.0.5:50000/b1s/v1")


def modules() -> Parser[tuple[str, ...]]:
    """Importable module names separated by commas."""
    words = csv()

    def read(value: str) -> tuple[str, ...]:
        names = words.read(value)
        if not all(_MODULE.fullmatch(name) for name in names):
            raise ValueError(value)
        return names

    return Parser(read, "Python module names separated by commas, like acme_erp.resources", words.show)


@frozen(kw_only=True)
class Web:
    """Where the service listens and how it treats requests."""

    host: str = setting(
        "HOST", help="Address to listen on; 0.0.0.0 for all.", parse=text(), default="127.0.0.1"
    )
    port: int = setting(
        "PORT", help="Port to listen on; 0 for any free one.", parse=integer(0, 65535), default=3000
    )
    trusted_proxies: tuple[Network, ...] = setting(
        "TRUSTED_PROXIES",
        help="Addresses or networks of proxies whose X-Forwarded-* headers are believed.",
        parse=networks(),
        default=(),
    )
    max_body_bytes: int = setting(
        "MAX_BODY_BYTES",
        help="Largest request body; most endpoints have a smaller limit of their own.",
        parse=integer(1024, 64 * 1024 * 1024),
        default=1024 * 1024,
    )
    metrics_port: int | None = setting(
        "METRICS_PORT",
        help="Port of GET /metrics; without it there are no metrics. Must not be reachable from outside.",
        parse=integer(1, 65535),
        default=None,
    )
    timezone: ZoneInfo = setting(
        "TIMEZONE",
        help="Time zone of date-only filters, such as desde and hasta of the audit log.",
        parse=timezone(),
        default=ZoneInfo("America/Santiago"),
    )
    admin_web_users: tuple[str, ...] = setting(
        "ADMIN_WEB_USERS", help="Web users that get the permission * at every start.", parse=csv(), default=()
    )
    extensions: tuple[str, ...] = setting(
        "EXTENSIONS",
        help="Modules with a customer's own resources, service actions, queries and HTML reports.",
        parse=modules(),
        default=(),
    )

    def problems(self) -> Iterator[Problem]:
        """Yield what can't be true together."""
        if self.metrics_port == self.port:
            yield Problem("METRICS_PORT", f"{self.port} is PORT already; allowed: another port")


@frozen(kw_only=True)
class Sessions:
    """Web sessions."""

    timeout_minutes: int = setting(
        "SESSION_TIMEOUT_MINUTES",
        help="Minutes without a request after which a web session ends.",
        parse=integer(1, 1440),
        default=30,
    )
    max_hours: int = setting(
        "SESSION_MAX_HOURS",
        help="Hours after which a web session ends however much it is used; 0: never for its age.",
        parse=integer(0, 8760),
        default=0,
    )
    employee_recheck_minutes: int = setting(
        "EMPLOYEE_RECHECK_MINUTES",
        help="Minutes after which a session in use has its employee looked up in the ERP again; 0: never.",
        parse=integer(0, 1440),
        default=15,
    )

    @property
    def max_age_s(self) -> float | None:
        """Seconds after which a session ends, None where its age does not matter."""
        return self.max_hours * 3600.0 if self.max_hours else None

    @property
    def recheck_interval_s(self) -> float | None:
        """Seconds between two looks at a session's employee, None for no look."""
        return self.employee_recheck_minutes * 60.0 if self.employee_recheck_minutes else None


@frozen(kw_only=True)
class Installation:
    """What kind of installation this is."""

    environment: str = setting(
        "ENVIRONMENT",
        help="What kind of installation this is; production refuses what is only good for trying out.",
        parse=choice("production", "development", "test"),
        default="production",
    )
    verify_ssl: bool = setting(
        "VERIFY_SSL",
        help="Whether the Service Layer's certificate is checked; can't be turned off in production.",
        parse=boolean(),
        default=True,
    )
    docs_enabled: bool | None = setting(
        "DOCS_ENABLED",
        help="Whether /api/docs and /api/openapi.json exist (default: only outside production).",
        parse=boolean(),
        default=None,
    )

    @property
    def docs_published(self) -> bool:
        """Whether the API's description is published, after applying the default."""
        return not self.production if self.docs_enabled is None else self.docs_enabled

    def problems(self) -> Iterator[Problem]:
        """Yield what can't be true together."""
        if self.production and not self.verify_ssl:
            yield Problem("VERIFY_SSL", "false is not possible in production; allowed: true")

    @property
    def production(self) -> bool:
        """Whether real people work with it."""
        return self.environment == "production"


@frozen(kw_only=True)
class Logging:
    """How the service logs."""

    level: str = setting(
        "LOG_LEVEL",
        help="Least severe level that is logged.",
        parse=choice("DEBUG", "INFO", "WARNING", "ERROR"),
        default="INFO",
    )
    format: str = setting(
        "LOG_FORMAT",
        help="json: one object a line; console: for people.",
        parse=choice("json", "console"),
        default="json",
    )

    def as_log_settings(self) -> LogSettings:
        """Return what `configure_logging` takes."""
        return LogSettings(level=self.level, format="console" if self.format == "console" else "json")


@frozen(kw_only=True)
class Store:
    """The gateway's own store."""

    path: Path = setting(
        "SQLITE_PATH",
        help="SQLite file with permissions, audit log and ledger; its folder must be writable.",
        parse=path(),
        default=Path("./data/app.sqlite"),
    )
    audit_retention_days: int | None = setting(
        "AUDIT_RETENTION_DAYS",
        help="Days after which audit records are deleted; without it all are kept.",
        parse=integer(1, 36500),
        default=None,
    )


@frozen(kw_only=True)
class ErpUpstream:
    """The ERP's Service Layer and the one shared session towards it."""

    url: str = setting(
        "ERP_SL_URL", help="Address of the Service Layer with its version segment.", parse=service_layer_url()
    )
    company_db: str = setting(
        "ERP_SL_COMPANY_DB", help="Company database to log in to.", parse=text(max_length=254)
    )
    user: str = setting("ERP_SL_USER", help="ERP user of the shared session.", parse=text(max_length=254))
    password: Secret = setting("ERP_SL_PASSWORD", help="Password of that user.", secret=True)
    ca_file: Path | None = setting(
        "ERP_SL_CA_FILE",
        help="PEM file with certificate authorities trusted in addition to the system's.",
        parse=path(),
        default=None,
    )
    max_concurrency: int = setting(
        "ERP_SL_MAX_CONCURRENCY",
        help="Calls to the Service Layer at the same time; above 2 each one costs several seconds.",
        parse=integer(1, 64),
        default=1,
    )
    queue_limit: int = setting(
        "ERP_SL_QUEUE_LIMIT",
        help="Requests that may wait for a place in all.",
        parse=integer(1, 100_000),
        default=512,
    )
    queue_per_user: int = setting(
        "ERP_SL_QUEUE_PER_USER",
        help="Requests of one user that may wait for a place.",
        parse=integer(1, 100_000),
        default=256,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield what can't be true together."""
        yield from authority_problems("ERP_SL_CA_FILE", self.ca_file)


@frozen(kw_only=True)
class Deadlines:
    """How long things may take."""

    timeout_s: float = setting(
        "ERP_SL_TIMEOUT", help="Seconds that one call may take.", parse=seconds(0.1, 3600), default=60.0
    )
    login_timeout_s: float = setting(
        "ERP_SL_LOGIN_TIMEOUT", help="Seconds that a login may take.", parse=seconds(0.1, 600), default=30.0
    )
    probe_timeout_s: float = setting(
        "ERP_PROBE_TIMEOUT",
        help="Seconds that the probe may take which tells whether an ERP without answers lives.",
        parse=seconds(0.1, 60),
        default=5.0,
    )
    queue_timeout_s: float = setting(
        "ERP_SL_QUEUE_TIMEOUT",
        help="Seconds that a request may wait for a place.",
        parse=seconds(0.1, 3600),
        default=30.0,
    )
    configured_grace_s: float | None = setting(
        "SHUTDOWN_GRACE",
        help="Seconds that running requests may take to finish at shutdown "
        "(default: the longer of ERP_SL_TIMEOUT and, with reports, APIGATEWAY_TIMEOUT, + 10).",
        parse=seconds(1, 3610),
        default=None,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield what can't be true together."""
        grace_s, least_s = self.configured_grace_s, self.timeout_s + GRACE_MARGIN_S
        if grace_s is not None and grace_s < least_s:
            yield Problem(
                "SHUTDOWN_GRACE",
                f"{grace_s:g} would cut off calls to the ERP; "
                f"allowed: at least {least_s:g} (ERP_SL_TIMEOUT + {GRACE_MARGIN_S:g})",
            )


@frozen(kw_only=True)
class Settings:
    """The whole configuration."""

    web: Web = group(Web)
    sessions: Sessions = group(Sessions)
    installation: Installation = group(Installation)
    logging: Logging = group(Logging)
    store: Store = group(Store)
    ledger: LedgerRules = group(LedgerRules)
    erp: ErpUpstream = group(ErpUpstream)
    deadlines: Deadlines = group(Deadlines)
    reference: ReferenceData = group(ReferenceData)
    report_gateway: ReportGateway | None = group(ReportGateway, when="APIGATEWAY_URL")
    erp_database: ErpDatabase | None = group(ErpDatabase, when="ERPDB_ENGINE")
    html_pdf: HtmlPdf = group(HtmlPdf)
    exports: Exports = group(Exports)

    @property
    def database_engine(self) -> str | None:
        """Kind of the ERP's database, None where it is not connected."""
        return None if self.erp_database is None else self.erp_database.engine

    @property
    def shutdown_grace_s(self) -> float:
        """Seconds that running requests have at shutdown, after applying the default.

        The default lets a report be finished, too; whoever configures less gives up reports, which only read,
        but never a write.
        """
        if self.deadlines.configured_grace_s is not None:
            return self.deadlines.configured_grace_s
        report_s = 0.0 if self.report_gateway is None else self.report_gateway.timeout_s
        return max(self.deadlines.timeout_s, report_s) + GRACE_MARGIN_S

    def problems(self) -> Iterator[Problem]:
        """Yield what can't be true together."""
        database = self.erp_database
        if self.installation.production and database is not None and database.engine == "sqlite":
            yield Problem(
                "ERPDB_ENGINE", "sqlite is not possible when ENVIRONMENT is production; allowed: hana"
            )


def effective_settings(settings: Settings) -> list[tuple[str, str]]:
    """Return every setting with the value that counts: derived defaults filled in, secrets masked."""
    derived = {
        "SHUTDOWN_GRACE": f"{settings.shutdown_grace_s:g}",
        "DOCS_ENABLED": str(settings.installation.docs_published).lower(),
    }
    return [(name, derived.get(name, value)) for name, value in effective(settings)]


def load_settings(environ: Mapping[str, str]) -> Settings:
    """Read the configuration from the environment and the file that `CONFIG_FILE` names.

    Raises:
        servicekit.config.ConfigError: with every fault found.
    """
    return load(Settings, environ, own_prefixes=OWN_PREFIXES)

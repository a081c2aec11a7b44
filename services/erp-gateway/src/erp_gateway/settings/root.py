# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Settings of the gateway, each declared once with its rule, default and help.

Importing this module reads no environment; `load_settings` does, and reports all problems at once.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import evolve, frozen

from erp_gateway.settings.attachments import Attachments
from erp_gateway.settings.erp import EXAMPLE_PASSWORD, GRACE_MARGIN_S, Deadlines, ErpUpstream
from erp_gateway.settings.erp_database import ErpDatabase
from erp_gateway.settings.exports import Exports
from erp_gateway.settings.html_pdf import HtmlPdf
from erp_gateway.settings.ledger import LedgerRules
from erp_gateway.settings.reference_data import ReferenceData
from erp_gateway.settings.report_gateway import ReportGateway
from erp_gateway.settings.service import Installation, Sessions, Store, Web, without_password
from servicekit.config import effective, group, is_readable, load, plain_http
from servicekit.config.problems import Problem
from servicekit.erp.settings import trusted_authorities
from servicekit.service_settings import Logging

OWN_PREFIXES: Final = (
    "ERP_SL_",
    "ERPDB_",
    "APIGATEWAY_",
    "HTML_PDF_",
    "HTML_REPORTS_",
    "EXPORT_",
    "ATTACHMENT_",
    "AUDIT_",
    "LEDGER_",
    "IDEMPOTENCY_",
    "WRITE_TRACE_",
)
"""Unknown environment variables with one of these prefixes are errors, because no other program uses them."""


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
    attachments: Attachments = group(Attachments)

    @property
    def database_engine(self) -> str | None:
        """Engine of the ERP's database; None if it is not configured."""
        return None if self.erp_database is None else self.erp_database.engine

    @property
    def shutdown_grace_s(self) -> float:
        """Seconds that running requests have at shutdown, after applying the default.

        The default is long enough for a report. A shorter value may cut off reports, which only read, but
        never a write.
        """
        if self.deadlines.configured_grace_s is not None:
            return self.deadlines.configured_grace_s
        report_s = 0.0 if self.report_gateway is None else self.report_gateway.timeout_s
        return max(self.deadlines.longest_write_s, report_s) + GRACE_MARGIN_S

    def warnings(self) -> Iterator[Problem]:
        """Yield unsafe settings."""
        if self.erp.password.reveal() == EXAMPLE_PASSWORD:
            yield Problem(
                "ERP_SL_PASSWORD",
                "is the example's; a login with it counts against the user",
                "es la del ejemplo; un inicio de sesión con ella cuenta como intento fallido del usuario",
            )
        if self.installation.production and is_readable(self.erp.url):
            yield plain_http("ERP_SL_URL")

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between settings."""
        if self.installation.production and self.html_pdf.reload:
            yield Problem(
                "HTML_REPORTS_RELOAD",
                "true is not possible when ENVIRONMENT is production",
                "true no es posible cuando ENVIRONMENT es production",
            )
        database = self.erp_database
        if self.installation.production and database is not None and database.engine == "sqlite":
            yield Problem(
                "ERPDB_ENGINE",
                "sqlite is not possible when ENVIRONMENT is production; allowed: hana",
                "sqlite no es posible cuando ENVIRONMENT es production; se admite: hana",
            )


def effective_settings(settings: Settings) -> list[tuple[str, str]]:
    """Return every setting with its effective value: defaults filled in, secrets masked."""
    url = settings.store.url
    derived = {
        "SHUTDOWN_GRACE": f"{settings.shutdown_grace_s:g}",
        "STORE_URL": "" if url is None else without_password(url.reveal()),
        "DOCS_ENABLED": str(settings.installation.docs_published).lower(),
    }
    return [(name, derived.get(name, value)) for name, value in effective(settings)]


def load_settings(environ: Mapping[str, str]) -> Settings:
    """Read the configuration from the environment and the file that `CONFIG_FILE` names.

    Raises:
        servicekit.config.ConfigError: with every problem.
    """
    settings = load(Settings, environ, own_prefixes=OWN_PREFIXES)
    erp, reports = settings.erp, settings.report_gateway
    if reports is not None:
        reports = evolve(reports, ca_file=trusted_authorities(reports.ca_file, erp.ca_folder))
    erp = evolve(erp, ca_file=trusted_authorities(erp.ca_file, erp.ca_folder))
    return evolve(settings, erp=erp, report_gateway=reports)

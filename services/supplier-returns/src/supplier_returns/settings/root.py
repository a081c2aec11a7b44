# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""All settings of supplier-returns, each declared once with its rule, default and help.

Importing this module does not read the environment. `load_settings` reads it and reports all errors at once.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from attrs import evolve, frozen

from servicekit.config import (
    effective,
    group,
    is_readable,
    load,
    plain_http,
)
from servicekit.config.problems import Problem
from servicekit.erp.settings import trusted_authorities
from servicekit.service_settings import Logging
from supplier_returns.settings.erp import ServiceLayer
from supplier_returns.settings.execution_timing import ATTEMPT_FRESH, CALLS_BEFORE_A_POST
from supplier_returns.settings.returns import Returns
from supplier_returns.settings.service import Installation, Sessions, Shutdown
from supplier_returns.settings.tax_documents import TaxDocuments
from supplier_returns.settings.web import Https, Web, WebApplication

OWN_PREFIXES: Final = ("SL_", "DTE_", "HTTPS_")
"""Prefixes of this service. An unknown variable with one of them is an error."""

GRACE_MARGIN_S: Final = 10.0
"""Seconds that a shutdown waits longer than the longest call to the ERP."""


@frozen(kw_only=True)
class Settings:
    """Whole configuration."""

    web: Web = group(Web)
    https: Https = group(Https)
    web_application: WebApplication = group(WebApplication)
    installation: Installation = group(Installation)
    logging: Logging = group(Logging)
    sessions: Sessions = group(Sessions)
    service_layer: ServiceLayer = group(ServiceLayer)
    returns: Returns = group(Returns)
    tax_documents: TaxDocuments = group(TaxDocuments)
    shutdown: Shutdown = group(Shutdown)

    @property
    def shutdown_grace_s(self) -> float:
        """Seconds for running requests at shutdown, including the default."""
        configured = self.shutdown.configured_grace_s
        return self._min_grace_s if configured is None else configured

    @property
    def tax_may_be_local(self) -> bool:
        """True if the tax-document service may have an address of this host."""
        return self.tax_documents.allow_local or not self.installation.is_production

    @property
    def _min_grace_s(self) -> float:
        return self.service_layer.timeout_s + GRACE_MARGIN_S

    @property
    def _min_uncertain_wait_s(self) -> float:
        """Maximum seconds from the record of an attempt to the end of its post.

        This is the age of the record, a wait in the queue, and the post. A stale attempt is recorded again,
        however long that takes.
        """
        call_s = self.service_layer.timeout_s
        attempt_s = max(call_s, min(ATTEMPT_FRESH.total_seconds(), CALLS_BEFORE_A_POST * call_s))
        return attempt_s + 2 * call_s

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between settings."""
        if self.shutdown_grace_s < self._min_grace_s:
            yield Problem(
                "SHUTDOWN_GRACE",
                f"{self.shutdown_grace_s:g} would cut off calls to the ERP; "
                f"allowed: at least {self._min_grace_s:g} (SL_TIMEOUT + {GRACE_MARGIN_S:g})",
                f"{self.shutdown_grace_s:g} cortaría llamadas al ERP; "
                f"se admite: al menos {self._min_grace_s:g} (SL_TIMEOUT + {GRACE_MARGIN_S:g})",
            )
        if self.returns.uncertain_wait_s < self._min_uncertain_wait_s:
            yield Problem(
                "UNCERTAIN_WAIT",
                f"{self.returns.uncertain_wait_s:g} would send again what may still be on its way; allowed: "
                f"at least {self._min_uncertain_wait_s:g} with SL_TIMEOUT={self.service_layer.timeout_s:g}",
                f"{self.returns.uncertain_wait_s:g} enviaría otra vez lo que aún puede estar en camino; se "
                f"admite: al menos {self._min_uncertain_wait_s:g} con "
                f"SL_TIMEOUT={self.service_layer.timeout_s:g}",
            )
        if self.https.redirect_port is not None and self.https.redirect_port in (
            self.web.port,
            self.web.metrics_port,
        ):
            yield Problem(
                "HTTP_REDIRECT_PORT",
                f"{self.https.redirect_port} is taken; allowed: another port",
                f"{self.https.redirect_port} ya está en uso; se admite: otro puerto",
            )

    def warnings(self) -> Iterator[Problem]:
        """Yield unsafe settings."""
        # Tests and development use plain HTTP and self-signed certificates.
        if not self.installation.is_production:
            return
        if is_readable(self.service_layer.url):
            yield plain_http("SL_URL")
        if not self.service_layer.reject_unauthorized:
            yield Problem(
                "SL_REJECT_UNAUTHORIZED",
                "is false: anybody on the way can read passwords; name the certificate in SL_CA_FILE",
                "es false: cualquiera en el camino puede leer las contraseñas; nombre el certificado en "
                "SL_CA_FILE",
            )
        if not self.sessions.sign_in_denied_users:
            yield Problem(
                "SIGN_IN_DENIED_USERS",
                "is empty: name the gateway's account (its ERP_SL_USER), or strangers can lock it",
                "está vacío: nombre la cuenta del gateway (su ERP_SL_USER), o un extraño puede bloquearla",
            )


def effective_settings(settings: Settings) -> list[tuple[str, str]]:
    """Return all settings with their effective values: with derived defaults, and with masked secrets."""
    folder = settings.web_application.folder
    derived = {
        "SHUTDOWN_GRACE": f"{settings.shutdown_grace_s:g}",
        "DOCS_ENABLED": str(settings.installation.docs_published).lower(),
        "WEB_DIST_DIR": "" if folder is None else str(folder),
    }
    return [(name, derived.get(name, value)) for name, value in effective(settings)]


def load_settings(environ: Mapping[str, str]) -> Settings:
    """Read the configuration from the environment and from the file in `CONFIG_FILE`.

    Raises:
        servicekit.config.ConfigError: the configuration is invalid. The error has every problem.
    """
    settings = load(Settings, environ, own_prefixes=OWN_PREFIXES)
    service_layer = settings.service_layer
    # The doctor saves certificates to the folder, which apply if no file is configured.
    trusted = trusted_authorities(service_layer.ca_file, service_layer.ca_folder)
    return evolve(settings, service_layer=evolve(service_layer, ca_file=trusted))

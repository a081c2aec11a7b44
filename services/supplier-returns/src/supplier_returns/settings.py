# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Every setting of supplier-returns: declared once, with its rule, default and one line of help.

Nothing here reads the environment when imported; `load_settings` does, and reports all faults at once.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal

import msgspec
from attrs import evolve, frozen

from servicekit.config import (
    PLAIN_HTTP,
    Parser,
    authority_problems,
    boolean,
    choice,
    csv,
    effective,
    group,
    integer,
    is_readable,
    load,
    seconds,
    setting,
    text,
)
from servicekit.config.problems import Problem
from servicekit.endpoint import parse_json
from servicekit.endpoint.shapes import structure
from servicekit.erp.settings import (
    authority_folder,
    folder_problems,
    service_layer_url,
    trusted_authorities,
    user_field,
)
from servicekit.errors import ServiceError
from servicekit.service_settings import Logging, authorities
from supplier_returns.execution.rules.next_step import MARK_FRESH
from supplier_returns.execution.rules.return_body import OWN_NAMES, FieldValue
from supplier_returns.planning.rules.asked_fields import AskedField, AskedKind
from supplier_returns.web_settings import Https, Web, WebApplication

OWN_PREFIXES: Final = ("SL_", "DTE_", "HTTPS_")
"""Unknown names with one of these are faults in the environment too, since nobody else would use them."""

GRACE_MARGIN_S: Final = 10.0
"""How much longer a shutdown waits than the longest call to the ERP may take."""

CALLS_BEFORE_A_POST: Final = 4
"""How often SL_TIMEOUT may pass between a mark and its post: its write, then a look, and a wait for each."""

MOST_FIELDS: Final = 20
"""Fields of a return that one setting may name."""

_FIELD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,49}")
_KINDS: Final = {"text": AskedKind.TEXT, "number": AskedKind.NUMBER, "date": AskedKind.DATE}
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")


def host_names() -> Parser[tuple[str, ...]]:
    """Names of hosts, separated by commas."""

    def read(value: str) -> tuple[str, ...]:
        names = tuple(name.strip().lower() for name in value.split(",") if name.strip())
        if not names or any(not _HOST.fullmatch(name) for name in names):
            raise ValueError(value)
        return names

    return Parser(read, "names of hosts separated by commas, such as dte.example.cl")


@frozen(kw_only=True)
class AskedFieldEntry:
    """An entry of `RETURN_ASKED_FIELDS`."""

    name: str
    label: str
    type: Literal["text", "number", "date"] = "text"
    required: bool = False


def constant_fields() -> Parser[Mapping[str, FieldValue]]:
    """Fields of the return that have the same value in every one."""

    def read(value: str) -> Mapping[str, FieldValue]:
        found = _json(value)
        if not isinstance(found, dict) or not all(map(_is_field, found)):
            raise ValueError(value)
        if not 1 <= len(found) <= MOST_FIELDS or not all(map(_is_constant, found.values())):
            raise ValueError(value)
        return found

    return Parser(
        read,
        'a JSON object of at most 20 fields, each a text or a number, like {"U_TIPODESP":"2"}',
        _json_text,
    )


def asked_fields() -> Parser[tuple[AskedField, ...]]:
    """Fields of the return that are asked of each planning."""

    def read(value: str) -> tuple[AskedField, ...]:
        try:
            entries = structure(_json(value), tuple[AskedFieldEntry, ...])
        except ServiceError as error:
            raise ValueError(value) from error
        if not 1 <= len(entries) <= MOST_FIELDS:
            raise ValueError(value)
        if not all(_is_field(each.name) and _is_constant(each.label) for each in entries):
            raise ValueError(value)
        return tuple(
            AskedField(name=each.name, label=each.label, kind=_KINDS[each.type], is_required=each.required)
            for each in entries
        )

    def show(value: tuple[AskedField, ...]) -> str:
        types = {kind: word for word, kind in _KINDS.items()}
        return _json_text(
            [
                {
                    "name": each.name,
                    "label": each.label,
                    "type": types[each.kind],
                    "required": each.is_required,
                }
                for each in value
            ]
        )

    return Parser(
        read,
        "a JSON list of at most 20 fields with name, label, type (text, number or date; unset: text) and "
        'required (unset: false), like [{"name":"U_PATENTE","label":"Patente","required":true}]',
        show,
    )


def _json(value: str) -> object:
    try:
        return parse_json(value.encode())
    except ServiceError as error:
        raise ValueError(value) from error


def _json_text(value: object) -> str:
    return _ENCODER.encode(value).decode()


def _is_field(name: str) -> bool:
    return _FIELD.fullmatch(name) is not None


def _is_constant(value: object) -> bool:
    if isinstance(value, str):
        return AskedField(name="", label="").fault_of(value) is None
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


@frozen(kw_only=True)
class Installation:
    """What kind of installation this is."""

    environment: str = setting(
        "ENVIRONMENT",
        help="What kind of installation this is; in production the API's description is off by default.",
        parse=choice("production", "development", "test"),
        default="production",
    )
    docs_enabled: bool | None = setting(
        "DOCS_ENABLED",
        help="Whether signed-in users have /api/docs and /api/openapi.json (default: not in production).",
        parse=boolean(),
        default=None,
    )

    @property
    def is_production(self) -> bool:
        """Whether people work with it."""
        return self.environment == "production"

    @property
    def docs_published(self) -> bool:
        """Whether the API's description is published, after applying the default."""
        return not self.is_production if self.docs_enabled is None else self.docs_enabled


@frozen(kw_only=True)
class Sessions:
    """Signed-in users, each with an ERP session of their own."""

    cookie_secure: bool = setting(
        "COOKIE_SECURE",
        help="Whether the session cookie is sent over HTTPS only; true when the API is published over HTTPS.",
        parse=boolean(),
        default=False,
    )
    timeout_minutes: int = setting(
        "SESSION_TIMEOUT_MINUTES",
        help="Minutes without a request after which a session ends.",
        parse=integer(1, 1440),
        default=30,
    )
    max_sessions: int = setting(
        "MAX_SESSIONS",
        help="Sessions at the same time; each is one of the ERP's too.",
        parse=integer(1, 10_000),
        default=200,
    )
    max_sessions_per_user: int = setting(
        "MAX_SESSIONS_PER_USER",
        help="Sessions of one user at the same time; a further login ends that user's oldest.",
        parse=integer(1, 10_000),
        default=5,
    )
    sign_in_max_failures: int = setting(
        "SIGN_IN_MAX_FAILURES",
        help="Refused sign-ins of one name that reach the ERP before the name is blocked; keep it below the "
        "number at which the ERP locks a user.",
        parse=integer(1, 20),
        default=3,
    )
    sign_in_denied_users: tuple[str, ...] = setting(
        "SIGN_IN_DENIED_USERS",
        help="ERP users who may not sign in here, separated by commas: name the gateway's service account.",
        parse=csv(),
        default=(),
    )


@frozen(kw_only=True)
class ServiceLayer:
    """The ERP's Service Layer, where every user logs in with their own name."""

    url: str = setting(
        "SL_URL",
        help="Address of the Service Layer with its version segment; v1 (OData 3) is deprecated by SAP from "
        "FP 2405.",
        parse=service_layer_url(),
    )
    company_db: str = setting(
        "SL_COMPANY_DB", help="Company database that users log in to.", parse=text(max_length=254)
    )
    reject_unauthorized: bool = setting(
        "SL_REJECT_UNAUTHORIZED",
        help="Whether its certificate is checked; false for a self-signed one (better: SL_CA_FILE).",
        parse=boolean(),
        default=True,
    )
    ca_file: Path | None = authorities("SL_CA_FILE")
    ca_folder: Path | None = authority_folder()
    db_type: str = setting(
        "DB_TYPE",
        help="Database of the ERP: HANA in production, MSSQL for tests. Selects each stored query's text.",
        parse=choice("HANA", "MSSQL"),
    )
    timeout_s: float = setting(
        "SL_TIMEOUT", help="Seconds that one call may take.", parse=seconds(0.1, 3600), default=60.0
    )
    probe_timeout_s: float = setting(
        "ERP_PROBE_TIMEOUT",
        help="Seconds that the probe may take which tells whether an ERP without answers lives.",
        parse=seconds(0.1, 60),
        default=5.0,
    )
    metadata_timeout_s: float = setting(
        "SL_METADATA_TIMEOUT",
        help="Seconds that creating one table, field or object may take; it changes the database.",
        parse=seconds(0.1, 3600),
        default=300.0,
    )
    max_reply_bytes: int = setting(
        "SL_MAX_REPLY_BYTES",
        help="Largest answer of the Service Layer that is read, in bytes unpacked; "
        "each call under way may hold as much.",
        parse=integer(1024 * 1024, 1024 * 1024 * 1024),
        default=32 * 1024 * 1024,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield what can't be true together."""
        yield from authority_problems("SL_CA_FILE", self.ca_file)
        yield from folder_problems(self.ca_folder)


@frozen(kw_only=True)
class Returns:
    """The documents that are made."""

    max_lines_per_document: int = setting(
        "MAX_LINES_PER_DOCUMENT",
        help="Lines of one return; the tax document has room for 60.",
        parse=integer(1, 60),
        default=60,
    )
    field_ind_traslado: str | None = setting(
        "FIELD_IND_TRASLADO",
        help="Existing user field of the return that takes the kind of transport; unset: not sent.",
        parse=user_field(),
        default=None,
    )
    field_tipo_despacho: str | None = setting(
        "FIELD_TIPO_DESPACHO",
        help="Existing user field of the return that takes the kind of dispatch; unset: not sent.",
        parse=user_field(),
        default=None,
    )
    return_fields: Mapping[str, FieldValue] | None = setting(
        "RETURN_FIELDS",
        help="Header fields of the return that have the same value in every one.",
        parse=constant_fields(),
        default=None,
    )
    asked_fields: tuple[AskedField, ...] | None = setting(
        "RETURN_ASKED_FIELDS",
        help="Header fields of the return that a person fills in, once for each planning.",
        parse=asked_fields(),
        default=None,
    )
    execution_fence: str = setting(
        "EXECUTION_FENCE",
        help="Whether a fence row stands beside each return; auto: once the ERP has proved that it helps.",
        parse=choice("auto", "on", "off"),
        default="auto",
    )
    uncertain_wait_s: float = setting(
        "UNCERTAIN_WAIT",
        help="Seconds after which a return without an answer may be sent again, when look-ups find nothing.",
        parse=seconds(1, 3600),
        default=180.0,
    )
    has_backup: bool = setting(
        "HAS_BACKUP",
        help="Whether a second instance may take over; then nothing is returned without the proved fence.",
        parse=boolean(),
        default=False,
    )

    @property
    def field_names(self) -> Mapping[str, tuple[str, ...]]:
        """The fields of the return that each setting names."""
        return {
            "FIELD_IND_TRASLADO": (self.field_ind_traslado,) if self.field_ind_traslado else (),
            "FIELD_TIPO_DESPACHO": (self.field_tipo_despacho,) if self.field_tipo_despacho else (),
            "RETURN_FIELDS": tuple(self.return_fields or ()),
            "RETURN_ASKED_FIELDS": tuple(each.name for each in self.asked_fields or ()),
        }

    def problems(self) -> Iterator[Problem]:
        """Yield what can't be true together."""
        taken = {name.casefold(): "which this service fills in itself" for name in OWN_NAMES}
        for setting_name, names in self.field_names.items():
            for name in names:
                if name.casefold() in taken:
                    yield Problem(
                        setting_name, f"names {name}, {taken[name.casefold()]}; allowed: another field"
                    )
                taken[name.casefold()] = f"which {setting_name} names already"
        if self.has_backup and self.execution_fence != "auto":
            yield Problem(
                "EXECUTION_FENCE",
                f"{self.execution_fence} proves nothing, which HAS_BACKUP asks for; allowed: auto",
            )


@frozen(kw_only=True)
class TaxDocuments:
    """The tax-document web service; its address and credentials are in the ERP, in `@DTE_CONFC`."""

    timeout_s: float = setting(
        "DTE_TIMEOUT", help="Seconds that one tax document may take.", parse=seconds(1, 3600), default=120.0
    )
    max_bytes: int = setting(
        "DTE_MAX_BYTES",
        help="Largest answer, unpacked.",
        parse=integer(1024, 1024 * 1024 * 1024),
        default=40 * 1024 * 1024,
    )
    hosts: tuple[str, ...] | None = setting(
        "DTE_HOSTS",
        help="Host names that the service's address may have, separated by commas; unset: any.",
        parse=host_names(),
        default=None,
    )
    allow_local: bool = setting(
        "DTE_ALLOW_LOCAL",
        help="Whether the service may be on this host itself; outside production it always may.",
        parse=boolean(),
        default=False,
    )
    ca_file: Path | None = authorities("DTE_CA_FILE", whose=" for it")
    concurrency: int = setting(
        "DTE_CONCURRENCY", help="Tax documents fetched at the same time.", parse=integer(1, 16), default=3
    )

    def problems(self) -> Iterator[Problem]:
        """Yield what is wrong with the file of authorities."""
        yield from authority_problems("DTE_CA_FILE", self.ca_file)


@frozen(kw_only=True)
class Shutdown:
    """How the process stops."""

    configured_grace_s: float | None = setting(
        "SHUTDOWN_GRACE",
        help="Seconds that running requests may take to finish at shutdown (default: SL_TIMEOUT + 10).",
        parse=seconds(1, 3610),
        default=None,
    )


@frozen(kw_only=True)
class Settings:
    """The whole configuration."""

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
        """Seconds that running requests have at shutdown, after applying the default."""
        configured = self.shutdown.configured_grace_s
        return self._least_grace_s if configured is None else configured

    @property
    def tax_may_be_local(self) -> bool:
        """Whether the tax-document service may have an address of this host."""
        return self.tax_documents.allow_local or not self.installation.is_production

    @property
    def _least_grace_s(self) -> float:
        return self.service_layer.timeout_s + GRACE_MARGIN_S

    @property
    def _least_uncertain_wait_s(self) -> float:
        """Seconds that a post may be under way after its mark: the mark's age, a wait for its turn, the post.

        A mark that is no longer fresh is written anew, however long that takes.
        """
        call_s = self.service_layer.timeout_s
        mark_s = max(call_s, min(MARK_FRESH.total_seconds(), CALLS_BEFORE_A_POST * call_s))
        return mark_s + 2 * call_s

    def problems(self) -> Iterator[Problem]:
        """Yield what can't be true together."""
        if self.shutdown_grace_s < self._least_grace_s:
            yield Problem(
                "SHUTDOWN_GRACE",
                f"{self.shutdown_grace_s:g} would cut off calls to the ERP; "
                f"allowed: at least {self._least_grace_s:g} (SL_TIMEOUT + {GRACE_MARGIN_S:g})",
            )
        if self.returns.uncertain_wait_s < self._least_uncertain_wait_s:
            yield Problem(
                "UNCERTAIN_WAIT",
                f"{self.returns.uncertain_wait_s:g} would send again what may still be on its way; allowed: "
                f"at least {self._least_uncertain_wait_s:g} with SL_TIMEOUT={self.service_layer.timeout_s:g}",
            )
        if self.https.redirect_port is not None and self.https.redirect_port in (
            self.web.port,
            self.web.metrics_port,
        ):
            yield Problem("HTTP_REDIRECT_PORT", f"{self.https.redirect_port} is taken; allowed: another port")

    def warnings(self) -> Iterator[Problem]:
        """Yield what is unsafe."""
        if not self.installation.is_production:
            return
        if is_readable(self.service_layer.url):
            yield Problem("SL_URL", PLAIN_HTTP)
        if not self.service_layer.reject_unauthorized:
            yield Problem(
                "SL_REJECT_UNAUTHORIZED",
                "is false: anybody on the way can read passwords; name the certificate in SL_CA_FILE",
            )
        if not self.sessions.sign_in_denied_users:
            yield Problem(
                "SIGN_IN_DENIED_USERS",
                "is empty: name the gateway's account (its ERP_SL_USER), or strangers can lock it",
            )


def effective_settings(settings: Settings) -> list[tuple[str, str]]:
    """Return every setting with the value that counts: derived defaults filled in, secrets masked."""
    folder = settings.web_application.folder
    derived = {
        "SHUTDOWN_GRACE": f"{settings.shutdown_grace_s:g}",
        "DOCS_ENABLED": str(settings.installation.docs_published).lower(),
        "WEB_DIST_DIR": "" if folder is None else str(folder),
    }
    return [(name, derived.get(name, value)) for name, value in effective(settings)]


def load_settings(environ: Mapping[str, str]) -> Settings:
    """Read the configuration from the environment and the file that `CONFIG_FILE` names.

    Raises:
        servicekit.config.ConfigError: with every fault found.
    """
    settings = load(Settings, environ, own_prefixes=OWN_PREFIXES)
    service_layer = settings.service_layer
    trusted = trusted_authorities(service_layer.ca_file, service_layer.ca_folder)
    return evolve(settings, service_layer=evolve(service_layer, ca_file=trusted))

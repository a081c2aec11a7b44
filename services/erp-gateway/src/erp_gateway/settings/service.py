# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Settings of the service itself: address, sessions, logs and store."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen

from erp_gateway.values.user_names import is_reserved
from servicekit.config import (
    Parser,
    Secret,
    boolean,
    choice,
    csv,
    integer,
    path,
    seconds,
    setting,
    timezone,
)
from servicekit.config.problems import Problem
from servicekit.service_settings import Listening

ALLOWED: Final = (
    "postgresql://user:password@host:5432/database, with ?sslmode=… and the like; "
    "in user and password @ : / ? # % are written %40 and so on"
)
_ALLOWED_SPANISH: Final = (
    "postgresql://usuario:contraseña@servidor:5432/base, con ?sslmode=… y similares; "
    "en usuario y contraseña @ : / ? # % se escriben %40, etc."
)

_SHAPE: Final = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^@:/?#\s]*)(?::[^@/?#\s]*)?@)?(?P<hosts>[^@/?#\s]*)/(?P<name>[^@/?#\s]+)"
    r"(?:\?[^#\s]*)?"
)


def is_database_url(text: str) -> bool:
    """Return whether a text looks like a database URL. Only libpq can validate the rest."""
    return _SHAPE.fullmatch(text) is not None


def without_password(text: str) -> str:
    """Return user, hosts and database name, without the password. Parameters are dropped too, because one may
    hold a password.
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        return "postgresql"
    user = f"{match['user']}@" if match["user"] else ""
    return f"postgresql://{user}{match['hosts']}/{match['name']}"


_MODULE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


def modules() -> Parser[tuple[str, ...]]:
    """Importable module names separated by commas."""
    words = csv()

    def read(value: str) -> tuple[str, ...]:
        names = words.read(value)
        if not all(_MODULE.fullmatch(name) for name in names):
            raise ValueError(value)
        return names

    return Parser(
        read,
        "Python module names separated by commas, like acme_erp.resources",
        "nombres de módulos de Python separados por comas, como acme_erp.resources",
        words.show,
    )


def web_users() -> Parser[tuple[str, ...]]:
    """Names of web users separated by commas. Reserved names are rejected."""
    words = csv()

    def read(value: str) -> tuple[str, ...]:
        names = words.read(value)
        if any(is_reserved(name) for name in names):
            raise ValueError(value)
        return names

    return Parser(
        read,
        f"{words.allowed}, and no name of the service itself such as cli",
        f"{words.spanish}, y ningún nombre del propio servicio como cli",
        words.show,
    )


@frozen(kw_only=True)
class Web(Listening):
    """Server."""

    max_body_bytes: int = setting(
        "MAX_BODY_BYTES",
        help="Largest request body in bytes. Most endpoints have a smaller limit.",
        parse=integer(1024, 64 * 1024 * 1024),
        default=1024 * 1024,
    )
    timezone: ZoneInfo = setting(
        "TIMEZONE",
        help="Time zone of filters that have only a date, such as desde and hasta of the audit log.",
        parse=timezone(),
        default=ZoneInfo("America/Santiago"),
    )
    admin_web_users: tuple[str, ...] = setting(
        "ADMIN_WEB_USERS",
        help="Web users who receive the permission * at every start.",
        parse=web_users(),
        default=(),
    )
    extensions: tuple[str, ...] = setting(
        "EXTENSIONS",
        help="Modules with your own resources, service actions, queries and HTML reports.",
        parse=modules(),
        default=(),
    )


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
        help="Hours after which a web session ends even if it is in use. 0: no limit.",
        parse=integer(0, 8760),
        default=0,
    )
    employee_recheck_minutes: int = setting(
        "EMPLOYEE_RECHECK_MINUTES",
        help=(
            "Minutes after which the employee of an active session is looked up in the ERP again. 0: never."
        ),
        parse=integer(0, 1440),
        default=15,
    )
    in_store: bool = setting(
        "SESSIONS_IN_STORE",
        help="Store digests of sessions, so that users stay signed in across a restart.",
        parse=boolean(),
        default=False,
    )

    @property
    def max_age_s(self) -> float | None:
        """Seconds after which a session ends; None for no limit."""
        return self.max_hours * 3600.0 if self.max_hours else None

    @property
    def recheck_interval_s(self) -> float | None:
        """Seconds between two rechecks of a session's employee; None disables them."""
        return self.employee_recheck_minutes * 60.0 if self.employee_recheck_minutes else None


@frozen(kw_only=True)
class Installation:
    """Installation."""

    environment: str = setting(
        "ENVIRONMENT",
        help="Kind of installation. production refuses settings that are only good for trials.",
        parse=choice("production", "development", "test"),
        default="production",
    )
    verify_ssl: bool = setting(
        "VERIFY_SSL",
        help="Check the Service Layer's certificate. Production requires it.",
        parse=boolean(),
        default=True,
    )
    docs_enabled: bool | None = setting(
        "DOCS_ENABLED",
        help="Serve /api/docs and /api/openapi.json (default: only outside production).",
        parse=boolean(),
        default=None,
    )

    doctor_report: Path | None = setting(
        "DOCTOR_REPORT",
        help=(
            "File with the output of erp-gateway doctor --json. GET /api/system and the metrics "
            "report its result."
        ),
        parse=path(),
        default=None,
    )

    @property
    def docs_published(self) -> bool:
        """True if the API's description is published, after applying the default."""
        return not self.production if self.docs_enabled is None else self.docs_enabled

    def problems(self) -> Iterator[Problem]:
        """Yield contradictions between these settings."""
        if self.production and not self.verify_ssl:
            yield Problem(
                "VERIFY_SSL",
                "false is not possible in production; allowed: true",
                "false no es posible en producción; se admite: true",
            )

    @property
    def production(self) -> bool:
        """True if the service runs in production."""
        return self.environment == "production"


# Read from `STORE_PATH`. The attribute has another name, because the environment has its own `PATH`.
_PATH: Final = path()


@frozen(kw_only=True)
class Store:
    """Store."""

    path: Path = setting(
        "SQLITE_PATH",
        help="SQLite file with permissions, audit log and ledger. Its folder must be writable.",
        parse=path(),
        default=Path("./data/app.sqlite"),
    )
    url: Secret | None = setting(
        "STORE_URL",
        help="PostgreSQL database to use instead of SQLITE_PATH: postgresql://user@host/name.",
        secret=True,
        default=None,
    )
    standby: bool = setting(
        "STANDBY",
        help="Wait, without opening a port, until no other process serves the database of STORE_URL.",
        parse=boolean(),
        default=False,
    )
    lock_grace_s: float = setting(
        "LOCK_GRACE",
        help=(
            "With STANDBY: seconds that the database may be unreachable before the active process"
            " stops. 0: none."
        ),
        parse=seconds(0, 600),
        default=30.0,
    )
    backup_folder: Path | None = setting(
        "BACKUP_FOLDER",
        help="Folder with dated copies of the store. doctor and the metrics report the age of the newest.",
        parse=_PATH,
        default=None,
    )
    audit_retention_days: int | None = setting(
        "AUDIT_RETENTION_DAYS",
        help="Days after which audit records are deleted. Without it all are kept.",
        parse=integer(1, 36500),
        default=None,
    )

    def problems(self) -> Iterator[Problem]:
        """Yield an invalid database URL, and settings that need one."""
        if self.standby and self.url is None:
            yield Problem(
                "STANDBY",
                "true is possible with STORE_URL alone; allowed: false",
                "true solo es posible con STORE_URL; se admite: false",
            )
        if self.url is not None and not is_database_url(self.url.reveal()):
            yield Problem(
                "STORE_URL",
                f"is no URL of a database; allowed: {ALLOWED}",
                f"no es la URL de una base de datos; se admite: {_ALLOWED_SPANISH}",
            )

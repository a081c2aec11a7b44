"""Settings of the process: kind of installation, sessions and shutdown."""

from attrs import frozen

from servicekit.config import (
    boolean,
    choice,
    csv,
    integer,
    seconds,
    setting,
)


@frozen(kw_only=True)
class Installation:
    """Installation."""

    environment: str = setting(
        "ENVIRONMENT",
        help="Kind of installation. In production the API's description is off by default.",
        parse=choice("production", "development", "test"),
        default="production",
    )
    docs_enabled: bool | None = setting(
        "DOCS_ENABLED",
        help="Serve /api/docs and /api/openapi.json to signed-in users (default: only outside production).",
        parse=boolean(),
        default=None,
    )

    @property
    def is_production(self) -> bool:
        """True for a productive installation."""
        return self.environment == "production"

    @property
    def docs_published(self) -> bool:
        """True if the API documentation is published, including the default."""
        return not self.is_production if self.docs_enabled is None else self.docs_enabled


@frozen(kw_only=True)
class Sessions:
    """Sessions.

    Each user has their own session in the ERP and signs in with their ERP user and password. These are not
    configured.
    """

    cookie_secure: bool = setting(
        "COOKIE_SECURE",
        help="Send the session cookie over HTTPS only. Use true if the API is published over HTTPS.",
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
        help="Concurrent sessions. Each one is also a session of the ERP.",
        parse=integer(1, 10_000),
        default=200,
    )
    max_sessions_per_user: int = setting(
        "MAX_SESSIONS_PER_USER",
        help="Concurrent sessions of one user. A further login ends that user's oldest session.",
        parse=integer(1, 10_000),
        default=5,
    )
    sign_in_max_failures: int = setting(
        "SIGN_IN_MAX_FAILURES",
        help="Refused sign-ins of one name that reach the ERP before the name is blocked. Keep it "
        "below the number at which the ERP locks a user.",
        parse=integer(1, 20),
        default=3,
    )
    sign_in_denied_users: tuple[str, ...] = setting(
        "SIGN_IN_DENIED_USERS",
        help="ERP users who may not sign in here, separated by commas. Name the gateway's service account.",
        parse=csv(),
        default=(),
    )


@frozen(kw_only=True)
class Shutdown:
    """Shutdown."""

    configured_grace_s: float | None = setting(
        "SHUTDOWN_GRACE",
        help="Seconds for running requests to finish at shutdown (default: SL_TIMEOUT + 10).",
        parse=seconds(1, 3610),
        default=None,
    )

"""Settings of exports as CSV and XLSX."""

from attrs import frozen

from servicekit.config import integer, seconds, setting


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

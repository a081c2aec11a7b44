"""Settings of the cache of reference data."""

from attrs import frozen

from servicekit.config import seconds, setting


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

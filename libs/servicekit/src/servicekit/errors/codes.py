"""Codes of all errors, for the documentation."""

import attrs

from servicekit.errors.service_error import DEFINED_ERRORS


@attrs.frozen
class ErrorCode:
    """One row of the error documentation."""

    code: str
    status: int
    detail: str


def all_error_codes(*, package: str | None = None) -> list[ErrorCode]:
    """List code, status and sentence of every `ServiceError` class imported so far, by code and status.

    Args:
        package: Only classes of this package and of servicekit itself (so that tests' own stay out).
    """
    packages = ("servicekit", package)
    return sorted(
        {
            ErrorCode(cls.code, cls.status, cls.detail)
            for cls in DEFINED_ERRORS
            if package is None or cls.__module__.partition(".")[0] in packages
        },
        key=lambda row: (row.code, row.status),
    )

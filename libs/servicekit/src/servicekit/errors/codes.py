"""List of all error classes, for the documentation."""

from servicekit.errors.service_error import DEFINED_ERRORS, ServiceError


def error_classes(*, package: str | None = None) -> tuple[type[ServiceError], ...]:
    """Return every `ServiceError` class defined so far.

    Args:
        package: only classes of this package and of servicekit itself, which leaves out those of tests.
    """
    packages = ("servicekit", package)
    return tuple(
        cls for cls in DEFINED_ERRORS if package is None or cls.__module__.partition(".")[0] in packages
    )
